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

/** SQLite plans a statement anew for each value that it is given as the bare limit; as `0 + ?` it keeps its plan. */
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

/** A connection as one transaction uses it. Queries block the event loop, so a long row of them lets it turn in between. */
export class SqliteSession implements Session {
  readonly snapshot: number | undefined;
  readonly versionOf: Session['versionOf'];
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection, versionOf: Session['versionOf'], snapshot?: number) {
    this.#connection = connection;
    this.versionOf = versionOf;
    this.snapshot = snapshot;
  }

  turn(): Promise<void> | undefined {
    return giveWay();
  }

  async execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // Outside of a transaction a statement would be kept at once, and by itself.
    if (!this.#connection.inTransaction) throw new StorageUnavailable('The transaction was rolled back');
    return this.#connection.execute<R>(query);
  }

  /** There is nobody to keep out: writes run one after another, in a transaction that keeps other processes out. */
  lock(): Promise<void> {
    return Promise.resolve();
  }

  /** All who share the file share the clock of its machine. */
  now(): Promise<number> {
    return Promise.resolve(Date.now());
  }

  settledBelow(): Promise<number> {
    return Promise.resolve(1);
  }
}
