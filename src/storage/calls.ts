import { StorageUnavailable } from './database.ts';

/** The calls that a database is serving: closing it lets them finish and refuses more. */
export class Calls {
  readonly #running = new Set<Promise<unknown>>();
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

  /** Calls `release` once all calls have finished. A second call waits for the first. */
  close(release: () => Promise<void>): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#running).then(release);
    return this.#closing;
  }
}
