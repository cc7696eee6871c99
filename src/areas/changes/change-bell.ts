import type { Database } from '../../storage/database.ts';
import { feedName, findNews, type NewsPosition } from './news.ts';

/** Interval at which a node polls for changes while somebody waits: other nodes and processes write changes too. */
const POLL_INTERVAL_MS = 50;

/** A reader of feeds, which is told of their changes from its beginning on. */
export interface FeedListener {
  /**
   * Waits until one of the feeds has a change that no earlier call has reported, at most `milliseconds`. Resolves to
   * whether it may have one: a reader that reads after it began to listen, and after each `true`, misses nothing.
   */
  next(milliseconds: number): Promise<boolean>;
  close(): void;
}

/** A listener as the bell sees it. */
interface Waiter {
  wake(): void;
}

/**
 * Wakes readers that wait for changes. Without waiting readers it does not query the database; otherwise one query
 * serves all of them, and a reader whose feeds have nothing new queries nothing.
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

  /** Listens to the feeds of viewers of a workspace, until it is closed. */
  listen(workspaceId: string, viewers: readonly string[]): FeedListener {
    const feeds = viewers.map((viewer) => feedName({ workspaceId, viewer }));
    let hasRung = this.#closed;
    let resolve = (): void => undefined;
    const waiter = {
      wake: () => {
        hasRung = true;
        resolve();
      },
    };
    this.#add(feeds, waiter);
    if (!this.#looking) void this.#look();
    return {
      next: async (milliseconds) => {
        if (!hasRung)
          await new Promise<void>((done) => {
            const timer = setTimeout(done, milliseconds);
            resolve = () => {
              clearTimeout(timer);
              done();
            };
          });
        const hadRung = hasRung;
        hasRung = this.#closed;
        return hadRung;
      },
      close: () => this.#remove(feeds, waiter),
    };
  }

  /** Wakes every reader permanently: the server stops. */
  close(): void {
    this.#closed = true;
    for (const feed of this.#waiters.keys()) this.#wake(feed);
  }

  #add(feeds: readonly string[], waiter: Waiter): void {
    for (const feed of feeds) {
      const waiters = this.#waiters.get(feed);
      if (waiters) waiters.add(waiter);
      else this.#waiters.set(feed, new Set([waiter]));
    }
  }

  #remove(feeds: readonly string[], waiter: Waiter): void {
    for (const feed of feeds) {
      const waiters = this.#waiters.get(feed);
      waiters?.delete(waiter);
      if (waiters?.size === 0) this.#waiters.delete(feed);
    }
  }

  async #look(): Promise<void> {
    this.#looking = true;
    let since: NewsPosition | undefined;
    while (this.#waiters.size > 0 && !this.#closed) {
      since = await this.#lookOnce(since);
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
    this.#looking = false;
  }

  /**
   * Queries once. Of the changes before the first query nobody knows which have been read, so it wakes all; so does the
   * first one after a failure.
   */
  async #lookOnce(since: NewsPosition | undefined): Promise<NewsPosition | undefined> {
    try {
      const { feeds, until } = await this.#database.read((tx) => findNews(tx, since));
      const rung = since === undefined ? [...this.#waiters.keys()] : feeds.map(feedName);
      for (const feed of rung) this.#wake(feed);
      return until;
    } catch {
      // The storage is unavailable: the readers query again, and get the error.
      return undefined;
    }
  }

  #wake(feed: string): void {
    for (const waiter of this.#waiters.get(feed) ?? []) waiter.wake();
  }
}
