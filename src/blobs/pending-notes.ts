import type { Database } from '../storage/database.ts';
import { insertPending } from './pending-store.ts';

/** Notes blobs that are about to be written. Those that come while others are being noted share one transaction. */
export class PendingNotes {
  readonly #database: Database;
  #last: Promise<unknown> = Promise.resolve();
  #next: { keys: string[]; noted: Promise<void> } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when the note is durable. Rejects with StorageUnavailable. */
  add(blobKey: string): Promise<void> {
    this.#next ??= this.#afterTheLast();
    this.#next.keys.push(blobKey);
    return this.#next.noted;
  }

  #afterTheLast(): { keys: string[]; noted: Promise<void> } {
    const keys: string[] = [];
    const noted = this.#last.then(() => {
      this.#next = undefined;
      return this.#database.write(async (tx) => insertPending(tx, keys, await tx.now()));
    });
    // Whoever asked is told; those who come next are not.
    this.#last = noted.catch(() => undefined);
    return { keys, noted };
  }
}
