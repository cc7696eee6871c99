import { SqliteConnection } from './sqlite-connection.ts';

const MOST_READERS = 16;

/** What a connection reads until somebody else commits. */
export interface SqliteSnapshot {
  /** As SQLite numbers for this connection what others have committed. */
  readonly version: unknown;
  isDurable: boolean;
}

/** A transaction that reads. */
interface Reading {
  readonly connection: SqliteConnection;
  readonly snapshot: SqliteSnapshot;
  /** Works that have not finished. */
  works: number;
  /** Whether more may join. */
  isOpen: boolean;
}

/**
 * The connections of a SQLite database that read. What begins in one turn of the event loop reads in one transaction:
 * beginning one each costs as much as a short read. Nobody misses a write of this process that way: each commit has
 * what comes after it begin anew. What another process commits is seen from the next turn on.
 */
export class Readers {
  readonly #path: string;
  /** The one used last is used next, for its cache is warm. */
  readonly #idle: SqliteConnection[] = [];
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];
  /** What each connection saw last. */
  readonly #snapshots = new WeakMap<SqliteConnection, SqliteSnapshot>();
  #open = 0;
  #current: Reading | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Lends a connection in a transaction to `work`; waits where all are lent out. */
  async lend<T>(work: (connection: SqliteConnection, snapshot: SqliteSnapshot) => Promise<T>): Promise<T> {
    const reading = this.#joinable() ?? this.#begin(this.#free() ?? (await this.#nextGivenBack()));
    reading.works++;
    try {
      return await work(reading.connection, reading.snapshot);
    } finally {
      reading.works--;
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

  #begin(connection: SqliteConnection): Reading {
    this.beginAnew();
    try {
      connection.run('begin');
      const reading = { connection, snapshot: this.#snapshotOf(connection), works: 0, isOpen: true };
      this.#current = reading;
      setImmediate(() => this.#leave(reading));
      return reading;
    } catch (error) {
      this.#giveBack(connection);
      throw error;
    }
  }

  /** Looking at its version makes the snapshot that the transaction keeps. */
  #snapshotOf(connection: SqliteConnection): SqliteSnapshot {
    const version = connection.get('pragma data_version')?.data_version;
    let snapshot = this.#snapshots.get(connection);
    if (!snapshot || snapshot.version !== version) {
      snapshot = { version, isDurable: false };
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

  #endIfOver({ connection, works, isOpen }: Reading): void {
    if (works === 0 && !isOpen) this.#giveBack(connection);
  }

  /** Undefined where all are lent out. */
  #free(): SqliteConnection | undefined {
    const idle = this.#idle.pop();
    if (idle || this.#open >= MOST_READERS) return idle;
    const connection = new SqliteConnection(this.#path, 'read');
    this.#open++;
    return connection;
  }

  #nextGivenBack(): Promise<SqliteConnection> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #giveBack(connection: SqliteConnection): void {
    if (connection.inTransaction) connection.run('commit');
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }
}
