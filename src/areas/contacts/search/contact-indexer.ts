import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../../storage/database.ts';
import { contactsLock } from '../owner.ts';
import { indexQueued } from './search-store.ts';
import { BEFORE_ALL, nextPartitionToIndex, type OwnedPartition } from './to-index-store.ts';

/**
 * Indexes queued contacts (of imports, for example) in the background, in short transactions that do not delay
 * requests. Until then a search scans the texts of the contacts and finds the same. Any number of nodes may run it: a
 * transaction that indexes contacts removes them from the queue.
 */
export class ContactIndexer {
  readonly #database: Database;
  #failed: ((error: unknown) => void) | undefined;
  #run: Promise<void> | undefined;
  /** Whether wake() was called during a run, which may have read the queue before. */
  #wokenWhileBusy = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Enables wake(); before, it does nothing. `failed` receives errors; the next wake() tries again. */
  start(failed: (error: unknown) => void): void {
    this.#failed = failed;
  }

  /** Starts a run that indexes all queued contacts. */
  wake(): void {
    const failed = this.#failed;
    if (!failed) return;
    this.#wokenWhileBusy = this.#run !== undefined;
    if (this.#wokenWhileBusy) return;
    this.#run = this.#indexAll(failed).finally(() => {
      this.#run = undefined;
      if (this.#wokenWhileBusy) this.wake();
    });
  }

  /** Starts no more transactions; resolves when the current one has ended. */
  async stop(): Promise<void> {
    this.#failed = undefined;
    await this.#run;
  }

  async #indexAll(failed: (error: unknown) => void): Promise<void> {
    try {
      while (await this.#indexRound(failed));
    } catch (error) {
      failed(error);
    }
  }

  /**
   * Indexes one portion of each partition, so that no user waits for all contacts of another. Returns whether it
   * indexed any.
   */
  async #indexRound(failed: (error: unknown) => void): Promise<boolean> {
    let hasIndexed = false;
    let partition: OwnedPartition | undefined = BEFORE_ALL;
    while (this.#failed) {
      partition = await this.#nextPartition(partition);
      if (partition === undefined) return hasIndexed;
      try {
        await this.#indexSome(partition);
        hasIndexed = true;
      } catch (error) {
        failed(error);
      }
    }
    return false;
  }

  #nextPartition(after: OwnedPartition): Promise<OwnedPartition | undefined> {
    return this.#database.read((tx) => nextPartitionToIndex(tx, after));
  }

  /** Pauses for as long as it has worked, so that requests get at least half of the time. */
  async #indexSome(partition: OwnedPartition): Promise<void> {
    const begunAt = performance.now();
    await this.#database.write(async (tx) => {
      await tx.lock(contactsLock(partition));
      await tx.join(partition.workspaceId);
      await indexQueued(tx, partition);
    });
    await pause(performance.now() - begunAt);
  }
}
