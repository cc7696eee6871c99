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

/** What a read may do: select, on one consistent snapshot. */
export interface ReadTransaction
  extends Pick<Kysely<Tables>, 'selectFrom' | 'with' | 'withRecursive' | 'executeQuery' | 'getExecutor'> {
  readonly engine: Engine;
  /**
   * Two reads with the same number see the same rows. Undefined where the engine cannot tell at little cost, and for a
   * write, which sees what it changes.
   */
  readonly snapshot: number | undefined;
  /**
   * The time in milliseconds since the epoch, on one clock for all who share the database: on PostgreSQL the server's.
   * What one node stores to be compared with the time by another (leases, ends, what is to be swept) goes by it.
   */
  now(): Promise<number>;
  /**
   * Every transaction with a lower number has ended, and what it kept is seen here: what is to be read in the order of
   * commits is read up to it. On SQLite, where writes run one after another, all have the number 0.
   */
  settledBelow(): Promise<number>;
}

/** What a write may do. Everything it did is kept or undone together. */
export interface WriteTransaction
  extends ReadTransaction,
    Pick<Kysely<Tables>, 'insertInto' | 'updateTable' | 'deleteFrom'> {
  /** Waits for, then keeps out, every other write that names the same scope, until this transaction ends. */
  lock(scope: string): Promise<void>;

  /**
   * As `versionOf` of the database, of what this transaction sees. Undefined as well where changes of these tables wait
   * for their commit.
   */
  versionOf(tables: readonly (keyof Tables)[]): number | undefined;

  /** A part that is kept or undone as one: when `work` throws, only what it wrote is undone. */
  attempt<T>(work: () => Promise<T>): Promise<T>;

  /** Whose changes the transaction reports from now on. */
  actAs(actor: Actor): void;

  /**
   * Reports a change. It is kept at the end of the transaction, with everything else or not at all; an attempt that is
   * undone takes its changes along.
   */
  emit(change: Change): void;

  /** Runs once the transaction is durable, and never when it is undone: the place for outside effects. */
  afterCommit(action: () => void): void;
}

/**
 * The storage port. Both engines promise the same:
 * - `write` resolves only when what it wrote is durable; when it rejects, nothing was written. Only where the disk or
 *   the connection failed in the middle of a commit is that unknown, and the message of StorageUnavailable says so.
 * - A statement that failed spoils its transaction, or the attempt that it is part of: what comes after it fails too.
 * - `work` may run more than once (a lost race is tried again), so it has no effect outside the transaction;
 *   it awaits nothing but its own queries, and turns of the event loop. A `write` within it rejects.
 * - `read` never shows what a crash could still take back.
 * - A full disk rejects with StorageFull, a lost database with StorageUnavailable; the next call tries afresh.
 */
export interface Database {
  readonly engine: Engine;
  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * The same number for as long as nobody has changed a row of these tables: what a read that began later found in them
   * stands until then. Undefined where the engine cannot tell at little cost. Throws StorageUnavailable.
   */
  versionOf(tables: readonly (keyof Tables)[]): number | undefined;
  /** Resolves when storage answers, rejects with StorageUnavailable when not. */
  check(): Promise<void>;
  /** Finishes what runs and releases everything. */
  close(): Promise<void>;
}

/** The storage cannot serve now (disk full, connection lost); the same call may succeed later. */
export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable';
}

/** There is no room for what was to be written; nothing was kept. */
export class StorageFull extends StorageUnavailable {
  override readonly name = 'StorageFull';
}

/**
 * Another transaction or a broken connection came between; nothing was kept and the same work may succeed now. A `work`
 * throws it where it finds that out by itself, and runs again. That is on PostgreSQL: nobody writes beside a write on SQLite.
 */
export class LostRace extends Error {
  override readonly name = 'LostRace';
}
