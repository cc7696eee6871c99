import { createHash } from 'node:crypto';
import type { CompiledQuery, QueryResult } from 'kysely';
import { DatabaseError, type QueryResult as PgResult, type PoolClient } from 'pg';
import { LostRace, StorageFull, StorageUnavailable, WorkspaceUnreachable } from '../database.ts';
import type { InstallationScope, WorkspaceLock } from '../locks.ts';
import { SentBehindFailure, type Session } from '../transaction.ts';
import type { Conversation, TimedQuery } from './conversation.ts';
import type { Workers } from './workers.ts';

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
const NOT_UNIQUE = '23505';
const ABORTED = /^25P02$/;
const CONNECTION_ENDED = /^(08|57P0[1-5]|25P03)/;
const FULL = /^53100$/;
const UNAVAILABLE = /^(53|58|25006|57014)/;

/** What Citus says of a worker that it cannot reach, where it gives no SQLSTATE of its own. */
const ABOUT_WORKER =
  /^(?:failure on connection marked as essential|could not commit transaction for shard|connection to the remote node)/;

/** Whether the server has answered that it does not reach another one of its cluster. */
function isOfWorker(error: unknown): boolean {
  return isByServer(error) && (/^08/.test(sqlState(error)) || ABOUT_WORKER.test((error as Error).message));
}

/** A worker of the cluster was not reached. It may have just been started again. */
class LostWorker extends LostRace {
  override readonly patienceMs = 1_000;
}

/** Maps an error of a statement to LostRace, StorageFull or StorageUnavailable; other errors stay as they are. */
function statementError(error: unknown, connectionIsLost: boolean): unknown {
  if (error instanceof WorkspaceUnreachable || error instanceof LostRace) return error;
  if (isTimeout(error)) return new StorageUnavailable('The database does not answer', { cause: error });
  if (isOfWorker(error)) return new LostWorker('A server of the cluster does not answer', { cause: error });
  const state = sqlState(error);
  if (ABORTED.test(state)) return new SentBehindFailure('An earlier statement failed', { cause: error });
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

/** Whether the server itself has refused a statement: a COMMIT that was sent behind it has stored nothing. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && (isByServer(error) || isByServer(error.cause));
}

function isByServer(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'ERROR';
}

/**
 * Maps an error of COMMIT. Only an error sent by the server itself proves that nothing was stored, and not where it has lost
 * another one that may have committed.
 */
export function commitError(error: unknown): unknown {
  const isOfOther = isOfWorker(error) || CONNECTION_ENDED.test(sqlState(error));
  if (isByServer(error) && !isOfOther) return statementError(error, false);
  return new StorageUnavailable('The commit was not confirmed: whether the write is kept is unknown', {
    cause: error,
  });
}

/** SQLSTATE of a notice that is no warning. */
const SUCCESSFUL = '00000';

/** The warnings that a connection hears. */
interface Warnings {
  /** Ends the listening, and returns what the first one said. */
  end(): string | undefined;
}

/**
 * Listens for warnings. A COMMIT whose wait for a synchronous standby was cancelled succeeds with one (SQLSTATE 01000): the
 * write is kept here and may be on no standby.
 */
export function warningsOf(client: PoolClient): Warnings {
  let first: string | undefined;
  const listen = ({ code, message }: { code?: string | undefined; message?: string | undefined }) => {
    if (code !== SUCCESSFUL) first ??= `${message} (${code})`;
  };
  client.on('notice', listen);
  const end = () => {
    client.off('notice', listen);
    return first;
  };
  return { end };
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
/** Numbers of transactions are of one server: they say nothing where the extension Citus is there. */
const SETTLED = `select case when to_regclass('pg_catalog.pg_dist_partition') is null
  then pg_snapshot_xmin(pg_current_snapshot())::text::bigint end as settled`;
/** Leaves the shortest record in the log; nobody reads it. PostgreSQL waits for a standby only where there is one. */
const EMPTY_RECORD = "select pg_logical_emit_message(true, 'atrium', '')";
const WRITING = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const LOCK_ON_SERVER = 'select pg_advisory_xact_lock($1)';
/** Fails where the extension Citus is there: the database has several servers, or will. */
const LOCK_ON_ONLY_SERVER = `${LOCK_ON_SERVER}
  where 1 / case when to_regclass('pg_catalog.pg_dist_partition') is null then 1 else 0 end = 1`;
const DIVISION_BY_ZERO = '22012';
/** The row is on the server of the workspace, so what it protects is there once the next transaction has it. */
const LOCK_ROW = `insert into write_locks (workspace_id, scope, taken) values ($1, $2, 1)
  on conflict (workspace_id, scope) do update set taken = write_locks.taken + 1`;
/**
 * The number is given and seen by others in the order of commits, because the row is locked until its transaction has
 * ended on the server of the workspace. Numbers of one server, from before there was a cluster, are far below the time.
 */
const NUMBER_CHANGES = `insert into write_locks (workspace_id, scope, taken)
  values ($1, 'changes', (extract(epoch from clock_timestamp()) * 1000000)::bigint)
  on conflict (workspace_id, scope) do update set taken = greatest(write_locks.taken + 1, excluded.taken)
  returning taken`;
/** The row is on every server, as are the rows that it protects. Citus lets one write to all of the table's rows at a time. */
const LOCK_EVERYWHERE = `insert into installation_locks (scope, taken) values ($1, 1)
  on conflict (scope) do update set taken = installation_locks.taken + 1`;

/**
 * Whether a database has several servers, each of which may be written through. Learned from each new connection and when a
 * lock is taken.
 */
export interface Servers {
  areSeveral: boolean;
}

/** A pooled connection as one transaction uses it. */
export class PostgresSession implements Session {
  readonly #conversation: Conversation;
  readonly #workers: Workers;
  readonly #names: StatementNames;
  readonly #isLost: () => boolean;
  readonly #timeoutMs: number;
  readonly #servers: Servers;

  constructor(
    conversation: Conversation,
    shared: { names: StatementNames; servers: Servers; workers: Workers },
    isLost: () => boolean,
    timeoutMs: number,
  ) {
    this.#conversation = conversation;
    this.#workers = shared.workers;
    this.#names = shared.names;
    this.#servers = shared.servers;
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

  readonly pipelines = true;

  async claim(query: CompiledQuery): Promise<void> {
    try {
      await this.execute(query);
    } catch (error) {
      if (sqlState(error) !== NOT_UNIQUE) throw error;
      throw new LostRace('Another transaction stored the same meanwhile', { cause: error });
    }
  }

  async lock({ workspaceId, scope }: WorkspaceLock): Promise<void> {
    const locked = this.#lockOnServer(scope, workspaceId);
    if (!this.#servers.areSeveral) return locked;
    await Promise.all([locked, this.#query(LOCK_ROW, [workspaceId, rowOf(scope)])]);
  }

  async lockInstallation(scope: InstallationScope): Promise<void> {
    // The tables of migrations are made on one server, and each server has an index of its own.
    if (scope === 'migrations' || scope === 'full-text index') {
      await this.#query(LOCK_ON_SERVER, [lockKey(scope)]);
      return;
    }
    const locked = this.#lockOnServer(scope);
    if (!this.#servers.areSeveral) return locked;
    await Promise.all([locked, this.#query(LOCK_EVERYWHERE, [scope])]);
  }

  /**
   * Locks among the writes that come through this server. Where the database turns out to be a cluster, whose writes come
   * through others as well, the transaction begins anew and locks among all.
   */
  async #lockOnServer(scope: string, workspaceId?: string): Promise<void> {
    if (this.#servers.areSeveral) {
      await this.#query(LOCK_ON_SERVER, [lockKey(scope)], workspaceId);
      return;
    }
    try {
      await this.#query(LOCK_ON_ONLY_SERVER, [lockKey(scope)], workspaceId);
    } catch (error) {
      if (sqlState(error) !== DIVISION_BY_ZERO) throw error;
      this.#servers.areSeveral = true;
      throw new LostRace('The database has become a cluster', { cause: error });
    }
  }

  async now(): Promise<number> {
    const { rows } = await this.#query(NOW, []);
    return rows[0].now;
  }

  async settledBelow(): Promise<number | undefined> {
    const { rows } = await this.#query(SETTLED, []);
    return rows[0].settled ?? undefined;
  }

  numberChanges(workspaceId: string): Promise<number> | undefined {
    if (!this.#servers.areSeveral) return undefined;
    return this.#query(NUMBER_CHANGES, [workspaceId]).then(({ rows }) => rows[0].taken);
  }

  async confirmReads(): Promise<void> {
    await this.#query(EMPTY_RECORD, []);
  }

  async #query(text: string, values: unknown[], workspaceId?: string): Promise<PgResult> {
    const query: TimedQuery = {
      text,
      values,
      name: this.#names.nameOf(text),
      query_timeout: this.#timeoutMs,
      workspaceId,
    };
    try {
      return await this.#conversation.ask(query);
    } catch (error) {
      // A repetition may wait for locks that the former process holds until the worker answers.
      if (this.#conversation.isGivenUp)
        throw new WorkspaceUnreachable('A server of the cluster does not answer', { cause: error });
      // So that the repetition is refused at once where the worker is lost, and not where it is there again.
      if (isOfWorker(error)) await this.#workers.suspect(this.#conversation);
      throw statementError(error, this.#isLost());
    }
  }
}

/** PostgreSQL names advisory locks by 64 bits. A collision of two scopes only causes unnecessary waits. */
function lockKey(scope: string): bigint {
  return createHash('sha256').update(scope).digest().readBigInt64BE();
}

/** So many rows at most for each kind of lock below in a workspace. */
const MOST_ROWS = 4_096;
/** What these are about comes without end; a row for each would stay behind. Two that share one wait without need. */
const SHARED_ROWS = /^(?:document|idempotency|spreadsheet|upload) /;

/** The name of the row that is locked for a scope. */
function rowOf(scope: WorkspaceLock['scope']): string {
  const kind = SHARED_ROWS.exec(scope)?.[0];
  if (kind === undefined) return scope;
  return `${kind}${createHash('sha256').update(scope).digest().readUInt32BE() % MOST_ROWS}`;
}
