import { createHash } from 'node:crypto';
import type { CompiledQuery, QueryResult } from 'kysely';
import type { QueryResult as PgResult, PoolClient, QueryConfig } from 'pg';
import type { Session } from '../transaction.ts';
import { statementError } from './errors.ts';
import type { StatementNames } from './statement-names.ts';

/** Not the time at which the transaction began: it may have waited for a lock since. */
const NOW = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now';
const WRITING = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A statement that must be answered in time: its timer is an option of pg that its types leave out. */
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

  /** Waiting for the server gives others their turn anyway. */
  turn(): undefined {
    return undefined;
  }

  /** It would have to be asked as well. */
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

/** PostgreSQL names locks by 64 bits. Two scopes that share a key would only wait for each other without need. */
function lockKey(scope: string): bigint {
  return createHash('sha256').update(scope).digest().readBigInt64BE();
}
