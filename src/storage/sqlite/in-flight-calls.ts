import { AsyncLocalStorage } from 'node:async_hooks';
import { StorageUnavailable } from '../database.ts';
import type { Transaction } from '../transaction.ts';

type Work<T> = (tx: Transaction) => Promise<T>;

/** The calls that a database is serving: closing it lets them finish and refuses more. */
export class InFlightCalls {
  readonly #running = new Set<Promise<unknown>>();
  readonly #write = new AsyncLocalStorage<{ isRunning: boolean }>();
  #closing: Promise<void> | undefined;

  /** Answers as `call` does. Rejects with StorageUnavailable after `close`. */
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
   * As `serve`; `call` is to run the work that it is given. Within the work of another write it rejects: on SQLite the
   * two would wait for each other, on PostgreSQL half of what belongs together could be kept.
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
      // What the work left running is no part of it any more.
      write.isRunning = false;
    }
  }

  /** InFlightCalls `release` once all calls have finished. A second call waits for the first. */
  close(release: () => Promise<void>): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#running).then(release);
    return this.#closing;
  }
}
