import type { Database } from '../../storage/database.ts';
import { type FeedPosition, findNews, settledPosition } from './change-store.ts';

/** Interval at which a node polls for changes while somebody waits: other nodes and processes write changes too. */
const LOOK_EVERY_MS = 50;

/** A reader that waits for the next change of its feeds. */
interface Waiter {
  readonly feeds: readonly string[];
  readonly wake: () => void;
}

/**
 * Wakes readers that wait for changes. Without waiting readers it does not query the database; otherwise one query
 * serves all of them.
 */
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
   * Waits until one of the feeds has a change that an earlier read has not seen, at most `milliseconds`. May return
   * early: the caller must read again.
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

  /** Wakes every reader permanently: the server stops. */
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

  /**
   * Queries once. Changes between a waiter's read and the first query would wake nobody, so the first query wakes
   * all.
   */
  async #lookOnce(since: FeedPosition | undefined): Promise<FeedPosition | undefined> {
    try {
      if (since === undefined) {
        const now = await this.#database.read(settledPosition);
        for (const feed of [...this.#waiters.keys()]) this.#wake(feed);
        return now;
      }
      const { viewers, until } = await this.#database.read((tx) => findNews(tx, since));
      for (const { workspace_id, viewer } of viewers) this.#wake(feedName(workspace_id, viewer));
      return until;
    } catch {
      // The storage is unavailable: the readers query again, and get the error.
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
