import { constants, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { LostRace, StorageFull, StorageUnavailable } from '../database.ts';

// Result codes, https://www.sqlite.org/rescode.html
const BUSY = 5;
const FULL = 13;
/** SQLITE_IOERR_SHMSIZE: the shared-memory index of the log could not grow. */
const NO_ROOM_FOR_INDEX = 4874;
const UNAVAILABLE = new Map([
  [7, 'The database is out of memory'],
  [8, 'The database file cannot be written to'],
  [10, 'The disk of the database fails'],
  [14, 'The database file cannot be opened'],
  [15, 'The database file is locked'],
]);

/** Maps an error of SQLite to LostRace, StorageFull or StorageUnavailable; other errors stay as they are. */
function sqliteError(error: unknown): unknown {
  const extended = extendedCode(error);
  if (extended === undefined) return error;
  const code = extended & 0xff;
  if (code === BUSY) return new LostRace('Another process is writing to the database', { cause: error });
  if (code === FULL || extended === NO_ROOM_FOR_INDEX)
    return new StorageFull('The disk of the database is full', { cause: error });
  const reason = UNAVAILABLE.get(code);
  return reason === undefined ? error : new StorageUnavailable(reason, { cause: error });
}

function extendedCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  return error.errcode;
}

const CACHED_STATEMENTS = 500;
const CACHE_KIB = 16_384;
/** A cached statement holds its last parameters. With more bytes than this, it is evicted instead. */
const LARGEST_PARAMETERS = 256 * 1024;

interface Prepared {
  readonly statement: StatementSync;
  /** The column names of its rows; empty when it returns no rows. */
  columns: readonly string[];
  /** The tables whose rows it may change. */
  readonly changes: readonly string[];
  /** The sequence number of its last use. */
  used: number;
}

const CHANGES: readonly number[] = [
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_DELETE,
];

/**
 * One connection to a SQLite file. All calls are synchronous and throw StorageUnavailable, LostRace or SQLite's error.
 */
export class SqliteConnection {
  readonly #db: DatabaseSync;
  /** By SQL text. */
  readonly #statements = new Map<string, Prepared>();
  #uses = 0;
  /** The tables that the statement being prepared may change, including by triggers and foreign keys. */
  #preparing = new Set<string>();
  #changed = new Set<string>();

  constructor(path: string, access: 'read' | 'write') {
    this.#db = rethrowing(() => new DatabaseSync(path, { readOnly: access === 'read', timeout: 0 }));
    this.exec(`pragma cache_size = -${CACHE_KIB}`);
    // Sorting must not spill to the temporary directory of the system.
    this.exec('pragma temp_store = memory');
    if (access === 'read') this.exec('pragma query_only = on');
    else this.#db.setAuthorizer((action, table) => this.#noteTable(action, table));
  }

  /** Whether a transaction is open: on some errors, such as a full disk, SQLite ends it itself. */
  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Runs statements without caching them. */
  exec(sql: string): void {
    rethrowing(() => this.#db.exec(sql));
  }

  /** Runs a cached statement without parameters and results, such as COMMIT. */
  run(sql: string): void {
    rethrowing(() => this.#prepare(sql).statement.run());
  }

  /** The first row of a statement without parameters. */
  get(sql: string): Record<string, unknown> | undefined {
    return rethrowing(() => rowsOf(this.#prepare(sql), [])[0]);
  }

  execute<R>(query: CompiledQuery): QueryResult<R> {
    return rethrowing(() => {
      const prepared = this.#prepare(query.sql);
      for (const table of prepared.changes) this.#changed.add(table);
      const parameters = query.parameters.map(bindable);
      try {
        return resultOf<R>(prepared, parameters);
      } finally {
        if (sizeOf(parameters) > LARGEST_PARAMETERS) this.#close(query.sql);
      }
    });
  }

  /** Whether rows of a table were changed since the last takeChanged, rolled back or not. */
  hasChanged(table: string): boolean {
    return this.#changed.has(table);
  }

  /** The tables whose rows were changed since the last call, rolled back or not. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  close(): void {
    this.#db.close();
  }

  #noteTable(action: number, table: string | null): number {
    if (table !== null && CHANGES.includes(action)) this.#preparing.add(table);
    return constants.SQLITE_OK;
  }

  #prepare(sql: string): Prepared {
    const cached = this.#statements.get(sql);
    if (cached) {
      cached.used = ++this.#uses;
      return cached;
    }
    this.#preparing = new Set();
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    const prepared: Prepared = {
      statement,
      columns: columnsOf(statement),
      changes: [...this.#preparing],
      used: ++this.#uses,
    };
    this.#statements.set(sql, prepared);
    if (this.#statements.size > CACHED_STATEMENTS) this.#evict();
    return prepared;
  }

  /** Scans all statements: evictions are rare, and keeping an order would cost at every use. */
  #evict(): void {
    let oldest: [string, Prepared] | undefined;
    for (const entry of this.#statements) if (!oldest || entry[1].used < oldest[1].used) oldest = entry;
    if (oldest) this.#close(oldest[0]);
  }

  #close(sql: string): void {
    const statement = this.#statements.get(sql)?.statement as StatementSync & { close(): void };
    this.#statements.delete(sql);
    statement.close();
  }
}

/** node:sqlite binds numbers as REAL; integers must be INTEGER in expressions, so they are bound as bigint. */
function bindable(value: unknown): SQLInputValue {
  return (Number.isSafeInteger(value) ? BigInt(value as number) : value) as SQLInputValue;
}

/** The approximate bytes of texts and blobs among the values. */
function sizeOf(values: readonly SQLInputValue[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === 'string' || value instanceof Uint8Array) size += value.length;
  }
  return size;
}

function resultOf<R>(prepared: Prepared, parameters: SQLInputValue[]): QueryResult<R> {
  if (prepared.columns.length > 0) return { rows: rowsOf(prepared, parameters) as R[] };
  const { changes, lastInsertRowid } = prepared.statement.run(...parameters);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

function columnsOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name);
}

/** Reads rows as arrays: the row objects of node:sqlite take twice as long. */
function rowsOf(prepared: Prepared, parameters: SQLInputValue[]): Record<string, unknown>[] {
  const rows = prepared.statement.all(...parameters) as unknown as (readonly unknown[])[];
  // After a schema change SQLite re-prepares the statement: `select *` may return more columns.
  if (rows[0] && rows[0].length !== prepared.columns.length) prepared.columns = columnsOf(prepared.statement);
  return rows.map((values) => asObject(prepared.columns, values));
}

function asObject(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) object[columns[i] ?? ''] = values[i];
  return object;
}

function rethrowing<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw sqliteError(error);
  }
}
