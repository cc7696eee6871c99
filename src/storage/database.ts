import type { Kysely } from 'kysely';
import type { Tables } from './schema/tables.ts';

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
   * commits is read up to it. On SQLite, where writes run one after another, all have the number 0.
   */
  settledBelow(): Promise<number>;
}

/** A write transaction: all its changes are committed or rolled back together. */
export interface WriteTransaction
  extends ReadTransaction,
    Pick<Kysely<Tables>, 'insertInto' | 'updateTable' | 'deleteFrom'> {
  /** Takes the exclusive lock of a scope until this transaction ends; waits for other writes that hold it. */
  lock(scope: string): Promise<void>;

  /**
   * As `versionOf` of the database, for the rows that this transaction sees. Also undefined while changes of these
   * tables are uncommitted.
   */
  versionOf(tables: readonly (keyof Tables)[]): number | undefined;

  /** Runs `work` in a savepoint: when it throws, only its own changes are rolled back. */
  attempt<T>(work: () => Promise<T>): Promise<T>;

  /** Whose changes the transaction reports from now on. */
  actAs(actor: Actor): void;

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
 * - A failed statement aborts its transaction, or the attempt that contains it: all later statements fail too.
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

/** The storage cannot serve now (disk full, connection lost); the same call may succeed later. */
export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable';
}

/** There is no space for a write; nothing was stored. */
export class StorageFull extends StorageUnavailable {
  override readonly name = 'StorageFull';
}

/**
 * A conflict with another transaction, or a broken connection; nothing was stored, and a retry may succeed. A `work`
 * that detects a conflict itself throws it and is run again. Only PostgreSQL has conflicts: SQLite has one writer.
 */
export class LostRace extends Error {
  override readonly name = 'LostRace';
}
