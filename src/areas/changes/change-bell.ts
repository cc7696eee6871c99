import type { Database } from '../../storage/database.ts';
import { currentPosition, type FeedPosition, findNews } from './change-store.ts';

/** How often a node looks for changes while somebody waits for them: those of other nodes and processes too. */
const LOOK_EVERY_MS = 50;

/** One who waits for the next change of a feed. */
interface Waiter {
  readonly feeds: readonly string[];
  readonly wake: () => void;
}

/** Wakes who waits for changes. While nobody waits it asks the database nothing; else it asks once for all of them. */
export class ChangeBell {
  readonly #database: Database;
  readonly #waiters = new Map<string, Set<Waiter>>();
  #looking = false;
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /**
   * Waits until one of the feeds has a change that a read which began before has not seen, for so long at most. May return
   * early: who waits reads again.
   */
  async next(workspaceId: string, viewers: readonly string[], milliseconds: number): Promise<void> {
    if (this.#closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter: Waiter = { feeds: viewers.map((viewer) => feedName(workspaceId, viewer)), wake: resolve };
    const timer = setTimeout(resolve, milliseconds);
    this.#add(waiter);
    if (!this.#looking) void this.#look();
    await promise;
    clearTimeout(timer);
    this.#remove(waiter);
  }

  /** Wakes everybody for good: the server stops. */
  close(): void {
    this.#closed = true;
    for (const waiters of this.#waiters.values()) for (const { wake } of waiters) wake();
  }

  #add(waiter: Waiter): void {
    for (const feed of waiter.feeds) {
      const waiters = this.#waiters.get(feed);
      if (waiters) waiters.add(waiter);
      else this.#waiters.set(feed, new Set([waiter]));
    }
  }

  #remove(waiter: Waiter): void {
    for (const feed of waiter.feeds) {
      const waiters = this.#waiters.get(feed);
      waiters?.delete(waiter);
      if (waiters?.size === 0) this.#waiters.delete(feed);
    }
  }

  async #look(): Promise<void> {
    this.#looking = true;
    let since: FeedPosition | undefined;
    while (this.#waiters.size > 0 && !this.#closed) {
      since = await this.#lookOnce(since);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    this.#looking = false;
  }

  /** What came between a waiter's read and the first look wakes nobody, so the first look wakes all. */
  async #lookOnce(since: FeedPosition | undefined): Promise<FeedPosition | undefined> {
    try {
      if (since === undefined) {
        const now = await this.#database.read(currentPosition);
        for (const feed of [...this.#waiters.keys()]) this.#wake(feed);
        return now;
      }
      const { viewers, until } = await this.#database.read((tx) => findNews(tx, since));
      for (const { workspace_id, viewer } of viewers) this.#wake(feedName(workspace_id, viewer));
      return until;
    } catch {
      // The storage is away: who waits asks again, and is told.
      return undefined;
    }
  }

  #wake(feed: string): void {
    for (const { wake } of this.#waiters.get(feed) ?? []) wake();
  }
}

function feedName(workspaceId: string, viewer: string): string {
  return `${workspaceId} ${viewer}`;
}
