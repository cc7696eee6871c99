import {
  type CompiledQuery,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteQueryCompiler,
} from 'kysely';
import { giveWay } from '../../turns/next-turn.ts';
import { StorageUnavailable } from '../database.ts';
import type { Session, SqlDialect } from '../transaction.ts';
import type { SqliteConnection } from './connection.ts';

/** SQLite plans a statement again for each value of a bare LIMIT parameter; with `limit 0 + ?` it keeps its plan. */
class PlanKeepingCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit 0 + ');
    this.visitNode(node.limit);
  }
}

export const sqliteDialect: SqlDialect = {
  engine: 'sqlite',
  compiler: new PlanKeepingCompiler(),
  adapter: new SqliteAdapter(),
};

/** A connection in one transaction. Queries block the event loop, so a long series of them gives way in between. */
export class SqliteSession implements Session {
  readonly snapshot: number | undefined;
  readonly versionOf: Session['versionOf'];
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection, versionOf: Session['versionOf'], snapshot?: number) {
    this.#connection = connection;
    this.versionOf = versionOf;
    this.snapshot = snapshot;
  }

  /** Each statement is done when it is asked for. */
  readonly pipelines = false;

  turn(): Promise<void> | undefined {
    return giveWay();
  }

  /** Nobody else writes meanwhile. */
  claim(query: CompiledQuery): Promise<unknown> {
    return this.execute(query);
  }

  async execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // Outside a transaction a statement would be committed at once, on its own.
    if (!this.#connection.inTransaction) throw new StorageUnavailable('The transaction was rolled back');
    return this.#connection.execute<R>(query);
  }

  /** No lock needed: writes run one after another, in a transaction that excludes other processes. */
  lock(): Promise<void> {
    return Promise.resolve();
  }

  lockInstallation(): Promise<void> {
    return Promise.resolve();
  }

  /** All processes that share the file run on one machine and share its clock. */
  now(): Promise<number> {
    return Promise.resolve(Date.now());
  }

  settledBelow(): Promise<number> {
    return Promise.resolve(1);
  }

  /** Undefined: the number of a row is the order of commits. */
  numberChanges(): undefined {}

  /** Every answer waits for the disk. */
  confirmReads(): Promise<void> {
    return Promise.resolve();
  }
}
