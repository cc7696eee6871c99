import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { sqliteError } from './sqlite-errors.ts';

const CACHED_STATEMENTS = 500;
const CACHE_KIB = 16_384;

interface Prepared {
  readonly statement: StatementSync;
  /** Names of the columns of its rows; none when it returns no rows. */
  readonly columns: readonly string[];
}

/** One connection to a SQLite file. Every call is synchronous and throws StorageUnavailable, LostRace or SQLite's error. */
export class SqliteConnection {
  readonly #db: DatabaseSync;
  /** By SQL text, the least recently used first. */
  readonly #statements = new Map<string, Prepared>();

  constructor(path: string, access: 'read' | 'write') {
    this.#db = rethrowing(() => new DatabaseSync(path, { readOnly: access === 'read', timeout: 0 }));
    this.exec(`pragma cache_size = -${CACHE_KIB}`);
    // Sorting and savepoints must not spill into the system's directory for temporary files.
    this.exec('pragma temp_store = memory');
    if (access === 'read') this.exec('pragma query_only = on');
  }

  /** Whether a transaction is open: SQLite ends it by itself on some errors, such as a full disk. */
  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Runs statements that are seldom run again. */
  exec(sql: string): void {
    rethrowing(() => this.#db.exec(sql));
  }

  /** Runs a statement without parameters and results, such as COMMIT. */
  run(sql: string): void {
    rethrowing(() => this.#prepare(sql).statement.run());
  }

  /** The first row of a statement without parameters. */
  get(sql: string): Record<string, unknown> | undefined {
    return rethrowing(() => {
      const { statement, columns } = this.#prepare(sql);
      return asObjects(columns, statement.all() as unknown as Row[])[0];
    });
  }

  execute<R>(query: CompiledQuery): QueryResult<R> {
    return rethrowing(() => {
      const { statement, columns } = this.#prepare(query.sql);
      const parameters = query.parameters.map(bindable);
      if (columns.length > 0) {
        return { rows: asObjects(columns, statement.all(...parameters) as unknown as Row[]) as R[] };
      }
      const { changes, lastInsertRowid } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    });
  }

  close(): void {
    this.#db.close();
  }

  #prepare(sql: string): Prepared {
    const cached = this.#statements.get(sql);
    if (cached) {
      this.#statements.delete(sql);
      this.#statements.set(sql, cached);
      return cached;
    }
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) };
    this.#statements.set(sql, prepared);
    if (this.#statements.size > CACHED_STATEMENTS) this.#evict();
    return prepared;
  }

  #evict(): void {
    for (const [sql, { statement }] of this.#statements) {
      this.#statements.delete(sql);
      (statement as StatementSync & { close(): void }).close();
      return;
    }
  }
}

/** node:sqlite binds a number as REAL; in an expression a whole number has to act as the INTEGER that it is elsewhere. */
function bindable(value: unknown): SQLInputValue {
  return (Number.isSafeInteger(value) ? BigInt(value as number) : value) as SQLInputValue;
}

type Row = readonly unknown[];

/** Rows come as arrays: the objects that node:sqlite would make cost twice as much to make, and more to read. */
function asObjects(columns: readonly string[], rows: readonly Row[]): Record<string, unknown>[] {
  return rows.map((values) => {
    const object: Record<string, unknown> = {};
    columns.forEach((column, i) => {
      object[column] = values[i];
    });
    return object;
  });
}

function rethrowing<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw sqliteError(error);
  }
}
