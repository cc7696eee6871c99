import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { InstallationScope, WorkspaceLock } from './locks.ts';
import type { Tables } from './schema/tables.ts';

export type { InstallationScope, WorkspaceLock } from './locks.ts';

export type Engine = 'sqlite' | 'postgres';

/** Who has written: a user by a key; null where no user has, such as mail that arrives. */
export type Actor = { readonly userId: string; readonly keyId: string } | null;

/** What a write has changed, as the change feed tells it: which objects, and never what is in them. */
export interface Change {
  readonly workspaceId: string;
  readonly type: string;
  /** Users, or audiences of the workspace: see `Changes` of the tables. Nobody is told where there are none. */
  readonly viewers: readonly string[];
  /** Names of the API to ids, or lists of ids. */
  readonly ids: Readonly<Record<string, unknown>>;
  /** Of a transaction that several share; else it is the one that the transaction acts as. */
  readonly actor?: Actor;
}

/** A read transaction: selects on one consistent snapshot. */
export interface ReadTransaction
  extends Pick<Kysely<Tables>, 'selectFrom' | 'with' | 'withRecursive' | 'executeQuery' | 'getExecutor'> {
  readonly engine: Engine;
  /**
   * Reads with the same snapshot number see the same rows. Undefined if the engine cannot determine it cheaply, and for
   * a write, which sees its own changes.
   */
  readonly snapshot: number | undefined;
  /**
   * The time in milliseconds since the epoch, on one clock for all nodes: on PostgreSQL that of the database server.
   * Timestamps that one node stores and another compares (leases, expiries, sweeps) must use it.
   */
  now(): Promise<number>;
  /**
   * Every transaction with a lower number has ended, and what it kept is seen here: what is to be read in the order of
   * commits is read up to it. On SQLite, where writes run one after another, all have the number 0. Undefined on a cluster,
   * whose transactions are numbered by `numberChanges`: whoever sees a number of a workspace sees all lower ones of it.
   */
  settledBelow(): Promise<number | undefined>;
}

/** A write transaction: all its changes are committed or rolled back together. */
export interface WriteTransaction
  extends ReadTransaction,
    Pick<Kysely<Tables>, 'insertInto' | 'updateTable' | 'deleteFrom'> {
  /**
   * Takes an exclusive lock until this transaction ends, as `send` sends: later statements run once no other write holds
   * it, on whichever server of the database.
   */
  lock(lock: WorkspaceLock): Promise<void>;

  /** As `lock`, for what belongs to no workspace. */
  lockInstallation(scope: InstallationScope): Promise<void>;

  /**
   * On a cluster: the number of the changes of this transaction in a workspace, above those of all that committed before, by
   * a lock that it takes until it ends. It is about the time in microseconds. Undefined elsewhere: the engine numbers
   * transactions itself.
   */
  numberChanges(workspaceId: string): Promise<number> | undefined;

  /**
   * Executes a write whose outcome nobody needs. On PostgreSQL it may still be on its way afterwards; later statements
   * follow it and see it. Its failure is that of the whole transaction, even if the attempt that sent it has ended.
   */
  send(query: CompiledQuery | Compilable): Promise<void>;

  /**
   * As `send`, for an insertion of rows that must be new: where another transaction has stored one of them meanwhile, this
   * one has lost a race.
   */
  claim(query: CompiledQuery | Compilable): Promise<void>;

  /** Resolves once all that was sent is done and each lock is held: for what depends on that beside statements. */
  settled(): Promise<void>;

  /**
   * As `versionOf` of the database, for the rows that this transaction sees. Also undefined while changes of these
   * tables are uncommitted.
   */
  versionOf(tables: readonly (keyof Tables)[]): number | undefined;

  /**
   * Has the commit wait for all that was read as it waits for what was written, also where nothing was: on PostgreSQL until it
   * is on the synchronous standbys. There a commit shows that is on none, after a crash and after its wait was cancelled.
   */
  confirmReads(): Promise<void>;

  /** Runs `work` in a savepoint: when it throws, only its own changes are rolled back. */
  attempt<T>(work: () => Promise<T>): Promise<T>;

  /** Whose changes the transaction reports from now on. */
  actAs(actor: Actor): void;

  /**
   * Takes part in the writes of a workspace. Rejects with WorkspaceAway while it is not written here, unless `despite` has
   * the state that keeps others away. A transaction that reports a change of a workspace takes part by itself.
   */
  join(workspaceId: string, despite?: readonly AwayState[]): Promise<void>;

  /**
   * Reports a change. It is kept at the end of the transaction, with everything else or not at all; an attempt that is
   * undone takes its changes along.
   */
  emit(change: Change): void;

  /**
   * Runs `action` once the transaction is durable, never if it is rolled back. Effects outside the database belong
   * here.
   */
  afterCommit(action: () => void): void;
}

/**
 * The storage port. Both engines guarantee the same:
 * - `write` resolves only when its changes are durable; when it rejects, nothing was written. Exception: if the disk or
 *   the connection fails during a commit, the result is unknown, and the message of StorageUnavailable says so.
 * - A failed statement aborts its transaction, or the attempt that contains it: all later statements fail too. That of
 *   something sent always aborts the transaction, unless the attempt that sent it fails.
 * - `work` may run more than once (after a lost race), so it must have no effect outside the transaction. It awaits
 *   nothing but its own queries and turns of the event loop. A `write` inside it rejects.
 * - `read` never shows data that a crash could still undo.
 * - A full disk rejects with StorageFull, a lost database with StorageUnavailable; the next call tries again.
 */
export interface Database {
  readonly engine: Engine;
  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * A number that changes whenever a row of these tables changes: the result of a read that began after this call is
   * valid while the number stays the same. Undefined if the engine cannot determine it cheaply. Throws
   * StorageUnavailable.
   */
  versionOf(tables: readonly (keyof Tables)[]): number | undefined;
  /** Resolves when the storage responds, else rejects with StorageUnavailable. */
  check(): Promise<void>;
  /** Waits for running calls and releases all resources. */
  close(): Promise<void>;
}

/** Why a workspace is not written here: it goes elsewhere, has gone, or has not come yet. */
export type AwayState = 'leaving' | 'left' | 'arriving';

/** Nothing is written to a workspace here: nothing was stored. `leaving` ends soon, either way. */
export class WorkspaceAway extends Error {
  override readonly name = 'WorkspaceAway';
  readonly state: AwayState;
  /** Where it has gone, if anybody has said so. */
  readonly location: string | null;

  constructor(workspaceId: string, state: AwayState, location: string | null) {
    super(sentenceOf(workspaceId, state, location));
    this.state = state;
    this.location = location;
  }
}

function sentenceOf(workspaceId: string, state: AwayState, location: string | null): string {
  const where = location ?? 'another installation';
  if (state === 'left') return `The workspace ${workspaceId} has moved to ${where}.`;
  return state === 'leaving'
    ? `The workspace ${workspaceId} moves to ${where}, and is not written meanwhile.`
    : `The workspace ${workspaceId} has not arrived here yet.`;
}

/** The storage cannot serve now (disk full, connection lost); the same call may succeed later. */
export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable';
}

/** There is no space for a write; nothing was stored. */
export class StorageFull extends StorageUnavailable {
  override readonly name = 'StorageFull';
}

/** The server of the database that has a workspace does not answer, while others do. Nothing was stored. */
export class WorkspaceUnreachable extends StorageUnavailable {
  override readonly name = 'WorkspaceUnreachable';
}

/**
 * A conflict with another transaction, or a broken connection; nothing was stored, and a retry may succeed. A `work`
 * that detects a conflict itself throws it and is run again. Only PostgreSQL has conflicts: SQLite has one writer.
 */
export class LostRace extends Error {
  override readonly name = 'LostRace';
  /** For how long it is worth while to try again, in milliseconds since the first try. */
  readonly patienceMs: number = 10_000;
}

/** The tables of this database cannot be spread over the servers of a cluster; the message says why, and what to do. */
export class NotDistributable extends Error {
  override readonly name = 'NotDistributable';
}
