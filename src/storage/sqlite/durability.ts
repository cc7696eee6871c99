import { fdatasync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { StorageUnavailable } from '../database.ts';
import type { SqliteConnection } from './connection.ts';

/** The write-ahead log as a file: SQLite writes it, this module syncs it. */
export interface WalFile {
  /** Resolves when everything written before the call is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const syncInThreadPool = promisify(fdatasync);

/** Opens the log of the database at `path`; a connection has created it already. */
export async function openWalFile(path: string): Promise<WalFile> {
  // Closing a file drops the locks of this process on it (POSIX). Safe here: SQLite never locks the log file itself.
  const file = await open(`${path}-wal`, 'r');
  return { sync: () => syncInThreadPool(file.fd), close: () => file.close() };
}

/**
 * Tracks which commits are on the disk. There is one sync at a time, and the writer commits nothing on top of a commit
 * that is not durable yet, so a failed sync leaves exactly one commit in doubt.
 *
 * After a failed sync the kernel may mark pages as clean that never reached the disk: a later successful sync proves
 * nothing about them. So no call succeeds until a checkpoint has written every page of the log to the database file,
 * with its own sync, and has emptied the log. (The one case not covered: power loss during that checkpoint.)
 */
export class Durability {
  readonly #writer: SqliteConnection;
  readonly #wal: WalFile;
  readonly #emptyLog: () => Promise<void>;
  #pending: Promise<void> = Promise.resolve();
  #syncs = 0;
  #inDoubt = false;
  #repair: Promise<void> | undefined;
  /** The version of the commits of other processes when the last sync started. */
  #othersVersion: unknown;
  /** The same at the start of the open transaction: until it ends, no other process can commit. */
  #versionAtBegin: unknown;

  constructor(writer: SqliteConnection, wal: WalFile, emptyLog: () => Promise<void>) {
    this.#writer = writer;
    this.#wal = wal;
    this.#emptyLog = emptyLog;
  }

  /** Whether a sync is under way. */
  get syncing(): boolean {
    return this.#syncs > 0;
  }

  /**
   * Makes all commits so far durable; `others`: the result of versionOfOthers before it. Rejects with
   * StorageUnavailable when durability is unknown.
   */
  sync(others: unknown): Promise<void> {
    this.#pending = this.#syncAfter(this.#pending, others);
    // Awaiting the result is optional: avoids an unhandled rejection.
    this.#pending.catch(() => undefined);
    return this.#pending;
  }

  /** Resolves when all commits of this process so far are durable. Rejects with StorageUnavailable. */
  settled(): Promise<void> {
    return this.#pending;
  }

  /** Resolves when all commits that a reader can have seen are durable, including those of other processes. */
  settledForReaders(): Promise<void> {
    const others = this.versionOfOthers();
    return others === this.#othersVersion ? this.#pending : this.sync(others);
  }

  /** Must be called at the start of each transaction; returns versionOfOthers. Throws StorageUnavailable. */
  transactionBegan(): unknown {
    this.#versionAtBegin = this.#readVersion();
    return this.#versionAtBegin;
  }

  /** A version that changes whenever another process commits; free within a transaction. Throws StorageUnavailable. */
  versionOfOthers(): unknown {
    return this.#writer.inTransaction ? this.#versionAtBegin : this.#readVersion();
  }

  #readVersion(): unknown {
    return this.#writer.get('pragma data_version')?.data_version;
  }

  /** Resolves when no commit is in doubt. Rejects with StorageUnavailable; the next call tries again. */
  async repaired(): Promise<void> {
    if (!this.#inDoubt) return;
    this.#repair ??= this.#restore().finally(() => {
      this.#repair = undefined;
    });
    await this.#repair;
  }

  async #syncAfter(previous: Promise<void>, others: unknown): Promise<void> {
    this.#syncs++;
    try {
      this.#othersVersion = others;
      await previous;
      await this.#wal.sync();
    } catch (cause) {
      this.#inDoubt = true;
      throw new StorageUnavailable('The disk refused to sync: whether the last writes were kept is unknown', {
        cause,
      });
    } finally {
      this.#syncs--;
    }
  }

  async #restore(): Promise<void> {
    try {
      await this.#emptyLog();
      await this.#wal.sync();
    } catch (cause) {
      throw new StorageUnavailable('The disk refuses to sync', { cause });
    }
    this.#inDoubt = false;
    this.#pending = Promise.resolve();
  }
}
