import type { Logger } from 'pino';

/** Runs periodic work in the background; a run that fails is logged, and the next one follows as planned. */
export class Housekeeping {
  readonly #log: Logger;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Runs `work` now, and again `ms` milliseconds after each run has ended. */
  every(ms: number, name: string, work: () => Promise<void>): void {
    const running = this.#run(name, work).finally(() => {
      this.#running.delete(running);
      if (!this.#stopped) this.#later(ms, () => this.every(ms, name, work));
    });
    this.#running.add(running);
  }

  /** Starts no further run; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#running);
  }

  #later(ms: number, again: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      again();
    }, ms).unref();
    this.#timers.add(timer);
  }

  async #run(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (err) {
      this.#log.error({ err, work: name }, 'housekeeping failed');
    }
  }
}
