import { currentUser } from '../../turns/current-user.ts';
import { FairQueue, UNBOUNDED } from '../../turns/fair-queue.ts';
import { SHORT_HALF_LIFE_MS, Usage } from '../../turns/usage.ts';
import { SqliteConnection } from './connection.ts';

const MOST_READERS = 16;
/** One user holds no more of them: however long the reads of one take, others find a connection. */
const MOST_OF_ONE = 4;
/** Those that users leave to what the server does for nobody, such as sweeping. */
const LEFT_TO_SERVER = 2;

let latestSnapshot = 0;

/** What a connection reads until somebody else commits. */
export interface SqliteSnapshot {
  /** No other of this process has it. */
  readonly number: number;
  /** As SQLite numbers for this connection what others have committed. */
  readonly version: unknown;
  isDurable: boolean;
}

/** A transaction that reads. */
interface Reading {
  readonly connection: SqliteConnection;
  readonly snapshot: SqliteSnapshot;
  /** For whom the works are that have not finished. */
  readonly works: string[];
  /** Who holds the connection: one of those for whom the works are, or for whom the last one was. */
  holder: string;
  /** Whether more may join. */
  isOpen: boolean;
}

/**
 * The connections of a SQLite database that read. What begins in one turn of the event loop reads in one transaction:
 * beginning one each costs as much as a short read. Nobody misses a write of this process that way: each commit has
 * what comes after it begin anew. What another process commits is seen from the next turn on.
 *
 * Where somebody has to wait for a connection, it goes to whoever has read for the least time of late.
 */
export class Readers {
  readonly #path: string;
  /** The one used last is used next, for its cache is warm. */
  readonly #idle: SqliteConnection[] = [];
  readonly #usage = new Usage(SHORT_HALF_LIFE_MS);
  readonly #waiting = new FairQueue<PromiseWithResolvers<SqliteConnection>>(UNBOUNDED, this.#usage);
  /** Connections by who holds them, and of all. */
  readonly #heldBy = new Map<string, number>();
  #held = 0;
  /** What each connection saw last. */
  readonly #snapshots = new WeakMap<SqliteConnection, SqliteSnapshot>();
  #current: Reading | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Lends a connection in a transaction to `work`, on behalf of whom the present work is for; waits where none is free. */
  async lend<T>(work: (connection: SqliteConnection, snapshot: SqliteSnapshot) => Promise<T>): Promise<T> {
    const whom = currentUser();
    const reading = this.#joinable() ?? this.#begin(whom, this.#free(whom) ?? (await this.#waitFor(whom)));
    const startedAt = performance.now();
    reading.works.push(whom);
    if (reading.works.length === 1) this.#passOn(reading, whom);
    try {
      return await work(reading.connection, reading.snapshot);
    } finally {
      this.#usage.add(whom, performance.now() - startedAt);
      reading.works.splice(reading.works.indexOf(whom), 1);
      if (!reading.works.includes(reading.holder)) this.#passOn(reading, reading.works[0] ?? reading.holder);
      this.#endIfOver(reading);
    }
  }

  /** What is lent from now on sees all that was committed until now. */
  beginAnew(): void {
    if (this.#current) this.#leave(this.#current);
  }

  /** To be called when none is lent out. */
  close(): void {
    this.beginAnew();
    for (const connection of this.#idle) connection.close();
  }

  /** On some errors SQLite ends a transaction by itself. */
  #joinable(): Reading | undefined {
    return this.#current?.connection.inTransaction ? this.#current : undefined;
  }

  #begin(whom: string, connection: SqliteConnection): Reading {
    this.beginAnew();
    try {
      connection.run('begin');
      const snapshot = this.#snapshotOf(connection);
      const reading: Reading = { connection, snapshot, works: [], holder: whom, isOpen: true };
      this.#current = reading;
      setImmediate(() => this.#leave(reading));
      return reading;
    } catch (error) {
      this.#giveBack(whom, connection);
      throw error;
    }
  }

  /** Looking at its version makes the snapshot that the transaction keeps. */
  #snapshotOf(connection: SqliteConnection): SqliteSnapshot {
    const version = connection.get('pragma data_version')?.data_version;
    let snapshot = this.#snapshots.get(connection);
    if (!snapshot || snapshot.version !== version) {
      snapshot = { number: ++latestSnapshot, version, isDurable: false };
      this.#snapshots.set(connection, snapshot);
    }
    return snapshot;
  }

  #leave(reading: Reading): void {
    if (!reading.isOpen) return;
    reading.isOpen = false;
    if (this.#current === reading) this.#current = undefined;
    this.#endIfOver(reading);
  }

  #endIfOver({ connection, works, holder, isOpen }: Reading): void {
    if (works.length === 0 && !isOpen) this.#giveBack(holder, connection);
  }

  /** A connection that whom may hold now; undefined where there is none. */
  #free(whom: string): SqliteConnection | undefined {
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

  /** The work of who held a connection may be over before those that have joined it. */
  #passOn(reading: Reading, whom: string): void {
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

  #giveBack(holder: string, connection: SqliteConnection): void {
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
