import { fdatasync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { StorageUnavailable } from '../database.ts';
import type { SqliteConnection } from './connection.ts';

/** The write-ahead log as a file: SQLite writes it, we make it durable. */
export interface WalFile {
  /** Resolves when all that was written before the call is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const syncInThreadPool = promisify(fdatasync);

/** Opens the log of the database at `path`, which a connection to it has already made. */
export async function openWalFile(path: string): Promise<WalFile> {
  // Closing a file drops the process's locks on it; SQLite keeps its locks on the other two files, never on the log.
  const file = await open(`${path}-wal`, 'r');
  return { sync: () => syncInThreadPool(file.fd), close: () => file.close() };
}

/**
 * Knows which commits are on the disk. There is one sync at a time, and the writer commits nothing on top of a commit
 * that is not yet durable, so a failed sync leaves exactly one commit in doubt.
 *
 * After a failed sync the kernel may take pages for clean that never reached the disk: a later sync that succeeds
 * proves nothing about them. So nothing is answered until a checkpoint has carried every page of the log into
 * the database file, as new writes with their own sync, and has emptied the log. (Losing power during that very
 * checkpoint, right after the disk refused a sync, is the one case that is not covered.)
 */
export class Durability {
  readonly #writer: SqliteConnection;
  readonly #wal: WalFile;
  readonly #emptyLog: () => Promise<void>;
  #pending: Promise<void> = Promise.resolve();
  #syncs = 0;
  #inDoubt = false;
  #repair: Promise<void> | undefined;
  /** What other processes had committed when the last sync started. */
  #othersVersion: unknown;
  /** What they had when the transaction that is open began: until it ends none of them can commit. */
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
   * Makes every commit so far durable; `others`: what other processes had committed before it, as versionOfOthers says.
   * Rejects with StorageUnavailable when that is unknown.
   */
  sync(others: unknown): Promise<void> {
    this.#pending = this.#syncAfter(this.#pending, others);
    // Whoever asks is told; nobody has to ask.
    this.#pending.catch(() => undefined);
    return this.#pending;
  }

  /** Resolves when every commit of this process so far is durable. Rejects with StorageUnavailable. */
  settled(): Promise<void> {
    return this.#pending;
  }

  /** Resolves when every commit is durable that a reader can have seen until now, those of other processes too. */
  seen(): Promise<void> {
    const others = this.versionOfOthers();
    return others === this.#othersVersion ? this.#pending : this.sync(others);
  }

  /** To be told of each transaction when it begins; answers as versionOfOthers. Throws StorageUnavailable. */
  begun(): unknown {
    this.#versionAtBegin = this.#askVersion();
    return this.#versionAtBegin;
  }

  /** Another one whenever other processes have committed; costs nothing within a transaction. Throws StorageUnavailable. */
  versionOfOthers(): unknown {
    return this.#writer.inTransaction ? this.#versionAtBegin : this.#askVersion();
  }

  #askVersion(): unknown {
    return this.#writer.get('pragma data_version')?.data_version;
  }

  /** Resolves when no commit is in doubt any more. Rejects with StorageUnavailable; the next call tries afresh. */
  async restored(): Promise<void> {
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
