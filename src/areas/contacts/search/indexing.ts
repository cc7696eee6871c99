import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../../storage/database.ts';
import { contactsLock } from '../owner.ts';
import { followNoted } from './search-store.ts';
import { BEFORE_ALL, nextShelfToIndex, type OwnShelf } from './to-index-store.ts';

/**
 * Has the search index follow what was noted for it, such as by imports: beside the requests, in transactions that are
 * short, so that nobody waits for it. Until then a search looks through the contacts themselves, so that it finds the same.
 * On any number of nodes: what one has followed is noted no more.
 */
export class ContactIndexing {
  readonly #database: Database;
  #failed: ((error: unknown) => void) | undefined;
  #run: Promise<void> | undefined;
  /** Woken while it was at work, perhaps after it had looked. */
  #isOverlooked = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** From now on it does its work when it is woken; `failed` is told of errors, after which waking it tries again. */
  start(failed: (error: unknown) => void): void {
    this.#failed = failed;
  }

  /** Looks for what is noted. */
  wake(): void {
    const failed = this.#failed;
    if (!failed) return;
    this.#isOverlooked = this.#run !== undefined;
    if (this.#isOverlooked) return;
    this.#run = this.#followAll(failed).finally(() => {
      this.#run = undefined;
      if (this.#isOverlooked) this.wake();
    });
  }

  /** Begins nothing more; resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#failed = undefined;
    await this.#run;
  }

  async #followAll(failed: (error: unknown) => void): Promise<void> {
    try {
      while (await this.#followEach(failed));
    } catch (error) {
      failed(error);
    }
  }

  /** A bit of each shelf in turn: nobody waits for all of another's. Answers whether it came further anywhere. */
  async #followEach(failed: (error: unknown) => void): Promise<boolean> {
    let hasFollowed = false;
    let shelf: OwnShelf | undefined = BEFORE_ALL;
    while (this.#failed) {
      shelf = await this.#nextShelf(shelf);
      if (shelf === undefined) return hasFollowed;
      try {
        await this.#follow(shelf);
        hasFollowed = true;
      } catch (error) {
        failed(error);
      }
    }
    return false;
  }

  #nextShelf(after: OwnShelf): Promise<OwnShelf | undefined> {
    return this.#database.read((tx) => nextShelfToIndex(tx, after));
  }

  /** Rests for as long as it has worked: requests have half of the time at least. */
  async #follow(shelf: OwnShelf): Promise<void> {
    const begunAt = performance.now();
    await this.#database.write(async (tx) => {
      await tx.lock(contactsLock(shelf));
      await followNoted(tx, shelf);
    });
    await pause(performance.now() - begunAt);
  }
}
