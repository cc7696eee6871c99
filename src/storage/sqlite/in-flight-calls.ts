import { AsyncLocalStorage } from 'node:async_hooks';
import { StorageUnavailable } from '../database.ts';
import type { Transaction } from '../transaction.ts';

type Work<T> = (tx: Transaction) => Promise<T>;

/** The running calls of a database: closing waits for them and rejects new ones. */
export class InFlightCalls {
  readonly #running = new Set<Promise<unknown>>();
  readonly #write = new AsyncLocalStorage<{ isRunning: boolean }>();
  #closing: Promise<void> | undefined;

  /** Resolves as `call` does. Rejects with StorageUnavailable after `close`. */
  async serve<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closing) throw new StorageUnavailable('The database is closed');
    const running = call();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /**
   * As `serve`; `call` must run the work passed to it. Rejects within the work of another write: on SQLite the two
   * would deadlock, on PostgreSQL one could be committed without the other.
   */
  async serveWrite<T>(work: Work<T>, call: (work: Work<T>) => Promise<T>): Promise<T> {
    if (this.#write.getStore()?.isRunning) {
      throw new Error('A write cannot begin within the work of another: hand that one its transaction');
    }
    return this.serve(() => call((tx) => this.#runAsWrite(() => work(tx))));
  }

  async #runAsWrite<T>(work: () => Promise<T>): Promise<T> {
    const write = { isRunning: true };
    try {
      return await this.#write.run(write, work);
    } finally {
      // Async code that outlives the work no longer counts as part of it.
      write.isRunning = false;
    }
  }

  /** Calls `release` once all calls have finished. A second `close` waits for the first. */
  close(release: () => Promise<void>): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#running).then(release);
    return this.#closing;
  }
}
