/** How long the result of a trial counts: a readiness probe must not cause a write each time it asks. */
const TRIAL_VALID_MS = 1_000;

/**
 * Remembers that a store ran out of space, until a trial write succeeds. A readiness probe asks it whether the next write is
 * likely to be refused: nobody knows beforehand how much space a write will need.
 */
export class SpaceMonitor {
  readonly #isFull: (error: unknown) => boolean;
  readonly #tryWrite: () => Promise<void>;
  #wasFull = false;
  #trial: Promise<void> | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;

  /** `isFull`: whether an error says that there is no space; `tryWrite` stores something and removes it again, or rejects. */
  constructor(isFull: (error: unknown) => boolean, tryWrite: () => Promise<void>) {
    this.#isFull = isFull;
    this.#tryWrite = tryWrite;
  }

  /** Does as `call`, and remembers it if there was no space. */
  async watch<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (this.#isFull(error)) this.#becomeFull();
      throw error;
    }
  }

  /** Resolves unless the store ran out of space and no trial has succeeded since. Rejects as the trial does. */
  async check(): Promise<void> {
    if (!this.#wasFull) return;
    if (performance.now() - this.#triedAt > TRIAL_VALID_MS) this.#trial = undefined;
    this.#trial ??= this.#try();
    await this.#trial;
  }

  #becomeFull(): void {
    // A trial from before the store was full says nothing about now.
    if (!this.#wasFull) this.#trial = undefined;
    this.#wasFull = true;
  }

  async #try(): Promise<void> {
    this.#triedAt = Number.POSITIVE_INFINITY;
    try {
      await this.#tryWrite();
      this.#wasFull = false;
    } finally {
      this.#triedAt = performance.now();
    }
  }
}
