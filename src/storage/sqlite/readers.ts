import { currentUser } from '../../turns/current-user.ts';
import { FairQueue, UNBOUNDED } from '../../turns/fair-queue.ts';
import { SHORT_HALF_LIFE_MS, Usage } from '../../turns/usage.ts';
import { SqliteConnection } from './connection.ts';

const MOST_READERS = 16;
/** Limit per user: however long the reads of one user take, others find a connection. */
const MOST_OF_ONE = 4;
/** Connections reserved for work of the server itself, such as sweeping. */
const LEFT_TO_SERVER = 2;

let latestSnapshot = 0;

/** The state of the database that a connection reads until another connection commits. */
export interface SqliteSnapshot {
  /** Unique in this process. */
  readonly number: number;
  /** The data_version of SQLite for this connection, which changes with commits of other connections. */
  readonly version: unknown;
  isDurable: boolean;
}

/** A read transaction, shared by several works. */
interface Reading {
  readonly connection: SqliteConnection;
  readonly snapshot: SqliteSnapshot;
  /** The users of the works that have not finished. */
  readonly works: string[];
  /** The user to whom the connection is charged: one with a running work, or the last one. */
  holder: string;
  /** Whether more may join. */
  isOpen: boolean;
}

/**
 * The read connections of a SQLite database. Reads that begin in one turn of the event loop share one transaction,
 * because beginning one costs as much as a short read. No read misses an earlier write of this process: after each
 * commit, reads start a new transaction. Commits of other processes are visible from the next turn on.
 *
 * A free connection goes first to the waiting user who recently read for the least time.
 */
export class Readers {
  readonly #path: string;
  /** A stack: the connection used last has a warm cache and is used next. */
  readonly #idle: SqliteConnection[] = [];
  readonly #usage = new Usage(SHORT_HALF_LIFE_MS);
  readonly #waiting = new FairQueue<PromiseWithResolvers<SqliteConnection>>(UNBOUNDED, this.#usage);
  /** The number of lent connections per user, and in all. */
  readonly #heldBy = new Map<string, number>();
  #held = 0;
  /** The last snapshot of each connection. */
  readonly #snapshots = new WeakMap<SqliteConnection, SqliteSnapshot>();
  #current: Reading | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Lends a connection in a transaction to `work` on behalf of the current user; waits if none is free. */
  async lend<T>(work: (connection: SqliteConnection, snapshot: SqliteSnapshot) => Promise<T>): Promise<T> {
    const whom = currentUser();
    const reading =
      this.#joinable() ?? this.#begin(whom, this.#takeIfAllowed(whom) ?? (await this.#waitFor(whom)));
    const startedAt = performance.now();
    reading.works.push(whom);
    if (reading.works.length === 1) this.#chargeTo(reading, whom);
    try {
      return await work(reading.connection, reading.snapshot);
    } finally {
      this.#usage.add(whom, performance.now() - startedAt);
      reading.works.splice(reading.works.indexOf(whom), 1);
      if (!reading.works.includes(reading.holder))
        this.#chargeTo(reading, reading.works[0] ?? reading.holder);
      this.#endIfOver(reading);
    }
  }

  /** Later reads start a new transaction, which sees all commits so far. */
  startNewTransaction(): void {
    if (this.#current) this.#stopSharing(this.#current);
  }

  /** Must be called when no connection is lent. */
  close(): void {
    this.startNewTransaction();
    for (const connection of this.#idle) connection.close();
  }

  /** The shared transaction, unless SQLite has ended it itself after an error. */
  #joinable(): Reading | undefined {
    return this.#current?.connection.inTransaction ? this.#current : undefined;
  }

  #begin(whom: string, connection: SqliteConnection): Reading {
    this.startNewTransaction();
    try {
      connection.run('begin');
      const snapshot = this.#snapshotOf(connection);
      const reading: Reading = { connection, snapshot, works: [], holder: whom, isOpen: true };
      this.#current = reading;
      setImmediate(() => this.#stopSharing(reading));
      return reading;
    } catch (error) {
      this.#release(whom, connection);
      throw error;
    }
  }

  /** Reading data_version is the first read of the transaction and so fixes its snapshot. */
  #snapshotOf(connection: SqliteConnection): SqliteSnapshot {
    const version = connection.get('pragma data_version')?.data_version;
    let snapshot = this.#snapshots.get(connection);
    if (!snapshot || snapshot.version !== version) {
      snapshot = { number: ++latestSnapshot, version, isDurable: false };
      this.#snapshots.set(connection, snapshot);
    }
    return snapshot;
  }

  #stopSharing(reading: Reading): void {
    if (!reading.isOpen) return;
    reading.isOpen = false;
    if (this.#current === reading) this.#current = undefined;
    this.#endIfOver(reading);
  }

  #endIfOver({ connection, works, holder, isOpen }: Reading): void {
    if (works.length === 0 && !isOpen) this.#release(holder, connection);
  }

  /** A connection for a user who may hold one more now; else undefined. */
  #takeIfAllowed(whom: string): SqliteConnection | undefined {
    return this.#mayHold(whom) ? this.#take(whom) : undefined;
  }

  #mayHold(whom: string): boolean {
    if (whom === '') return this.#held < MOST_READERS;
    return this.#held < MOST_READERS - LEFT_TO_SERVER && (this.#heldBy.get(whom) ?? 0) < MOST_OF_ONE;
  }

  /** The connection used last, or a new one. */
  #take(whom: string): SqliteConnection {
    const connection = this.#idle.pop() ?? new SqliteConnection(this.#path, 'read');
    this.#count(whom, 1);
    return connection;
  }

  #count(whom: string, change: 1 | -1): void {
    const held = (this.#heldBy.get(whom) ?? 0) + change;
    if (held === 0) this.#heldBy.delete(whom);
    else this.#heldBy.set(whom, held);
    this.#held += change;
  }

  /** Charges the connection to another user: the works of the first may end before those that joined. */
  #chargeTo(reading: Reading, whom: string): void {
    if (reading.holder === whom) return;
    this.#count(reading.holder, -1);
    this.#count(whom, 1);
    reading.holder = whom;
    this.#serveWaiting();
  }

  #waitFor(whom: string): Promise<SqliteConnection> {
    const waiting = Promise.withResolvers<SqliteConnection>();
    this.#waiting.add(whom, waiting);
    return waiting.promise;
  }

  #release(holder: string, connection: SqliteConnection): void {
    if (connection.inTransaction) connection.run('commit');
    this.#idle.push(connection);
    this.#count(holder, -1);
    this.#serveWaiting();
  }

  #serveWaiting(): void {
    for (;;) {
      const next = this.#waiting.take((whom) => this.#mayHold(whom));
      if (next === undefined) return;
      try {
        next.item.resolve(this.#take(next.user));
      } catch (error) {
        next.item.reject(error);
      }
    }
  }
}
