import { createHash } from 'node:crypto';
import type { CompiledQuery, QueryResult } from 'kysely';
import { DatabaseError, type QueryResult as PgResult, type PoolClient, type QueryConfig } from 'pg';
import { LostRace, StorageFull, StorageUnavailable } from '../database.ts';
import type { Session } from '../transaction.ts';

const MOST_NAMES = 300;

/**
 * Selects the SQL texts that PostgreSQL keeps prepared: those seen twice, up to a limit, because each costs memory on
 * every connection of the server. Texts beyond the limit are executed unprepared.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #seenOnce = new Set<string>();

  /** The name under which a text is prepared; undefined: not prepared. */
  nameOf(sql: string): string | undefined {
    const name = this.#names.get(sql);
    if (name !== undefined || this.#names.size >= MOST_NAMES) return name;
    if (this.#seenOnce.delete(sql)) return this.#addName(sql);
    if (this.#seenOnce.size >= MOST_NAMES) this.#seenOnce.clear();
    this.#seenOnce.add(sql);
    return undefined;
  }

  #addName(sql: string): string {
    const name = `atrium_${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return name;
  }
}

// SQLSTATE codes and classes, https://www.postgresql.org/docs/current/errcodes-appendix.html
const LOST_RACE = /^(40001|40P01)$/;
const CONNECTION_ENDED = /^(08|57P0[1-5]|25P03)/;
const FULL = /^53100$/;
const UNAVAILABLE = /^(53|58|25006)/;

/** Maps an error of a statement to LostRace, StorageFull or StorageUnavailable; other errors stay as they are. */
function statementError(error: unknown, connectionIsLost: boolean): unknown {
  if (isTimeout(error)) return new StorageUnavailable('The database does not answer', { cause: error });
  const state = sqlState(error);
  if (LOST_RACE.test(state)) return new LostRace('Another transaction came between', { cause: error });
  if (FULL.test(state)) return new StorageFull('The disk of the database is full', { cause: error });
  if (UNAVAILABLE.test(state))
    return new StorageUnavailable('The database cannot serve now', { cause: error });
  if (connectionIsLost || CONNECTION_ENDED.test(state)) {
    return new LostRace('The connection to the database broke', { cause: error });
  }
  return withoutValues(error);
}

/** Removes the details that PostgreSQL adds to an error: they quote row values, which must not be logged. */
function withoutValues(error: unknown): unknown {
  if (error instanceof DatabaseError) Object.assign(error, { detail: undefined, where: undefined });
  return error;
}

/** Maps an error of COMMIT. Only an error sent by the server itself proves that nothing was stored. */
export function commitError(error: unknown): unknown {
  if (error instanceof DatabaseError && error.severity === 'ERROR') return statementError(error, false);
  return new StorageUnavailable(
    'The connection broke during the commit: whether the write was kept is unknown',
    {
      cause: error,
    },
  );
}

/** pg reports refused connections and timeouts in many different ways; all mean the same. */
export function connectError(cause: unknown): StorageUnavailable {
  return new StorageUnavailable('The database that ATRIUM_DATABASE_URL names cannot be reached', { cause });
}

function sqlState(error: unknown): string {
  return error instanceof DatabaseError ? (error.code ?? '') : '';
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** clock_timestamp(), not now(): now() is the start of the transaction, which may have waited for a lock since. */
const NOW = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now';
const SETTLED = 'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as settled';
const WRITING = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A statement with a timeout, an option of pg that its types lack. */
export type TimedQuery = QueryConfig & { query_timeout: number };

/** A pooled connection as one transaction uses it. */
export class PostgresSession implements Session {
  readonly #client: PoolClient;
  readonly #names: StatementNames;
  readonly #isLost: () => boolean;
  readonly #timeoutMs: number;

  constructor(client: PoolClient, names: StatementNames, isLost: () => boolean, timeoutMs: number) {
    this.#client = client;
    this.#names = names;
    this.#isLost = isLost;
    this.#timeoutMs = timeoutMs;
  }

  /** No extra turn: waiting for the server already lets other requests run. */
  turn(): undefined {
    return undefined;
  }

  /** Undefined: it would cost a query. */
  readonly snapshot = undefined;

  versionOf(): undefined {
    return undefined;
  }

  async execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, command, rowCount } = await this.#query(query.sql, [...query.parameters]);
    if (!WRITING.has(command)) return { rows: rows as R[] };
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async lock(scope: string): Promise<void> {
    await this.#query('select pg_advisory_xact_lock($1)', [lockKey(scope)]);
  }

  async now(): Promise<number> {
    const { rows } = await this.#query(NOW, []);
    return rows[0].now;
  }

  async settledBelow(): Promise<number> {
    const { rows } = await this.#query(SETTLED, []);
    return rows[0].settled;
  }

  async #query(text: string, values: unknown[]): Promise<PgResult> {
    const query: TimedQuery = {
      text,
      values,
      name: this.#names.nameOf(text),
      query_timeout: this.#timeoutMs,
    };
    try {
      return await this.#client.query(query);
    } catch (error) {
      throw statementError(error, this.#isLost());
    }
  }
}

/** PostgreSQL names advisory locks by 64 bits. A collision of two scopes only causes unnecessary waits. */
function lockKey(scope: string): bigint {
  return createHash('sha256').update(scope).digest().readBigInt64BE();
}
