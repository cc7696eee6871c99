/** How long the result of a trial is valid: a readiness probe must not cause a write for each request. */
const TRIAL_VALID_MS = 1_000;

/**
 * Records that a store ran out of space, until a trial write succeeds. A readiness probe uses it to tell whether the
 * next write will probably fail: nobody knows beforehand how much space a write needs.
 */
export class SpaceMonitor {
  readonly #isFull: (error: unknown) => boolean;
  readonly #tryWrite: () => Promise<void>;
  #wasFull = false;
  #trial: Promise<void> | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;

  /**
   * `isFull` tells whether an error means that there is no space. `tryWrite` stores something and removes it again, or
   * rejects.
   */
  constructor(isFull: (error: unknown) => boolean, tryWrite: () => Promise<void>) {
    this.#isFull = isFull;
    this.#tryWrite = tryWrite;
  }

  /** Runs `call`, and records whether there was no space. */
  async watch<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (this.#isFull(error)) this.#becomeFull();
      throw error;
    }
  }

  /** Resolves unless the store ran out of space and no trial has succeeded since. Rejects with the error of the trial. */
  async check(): Promise<void> {
    if (!this.#wasFull) return;
    if (performance.now() - this.#triedAt > TRIAL_VALID_MS) this.#trial = undefined;
    this.#trial ??= this.#try();
    await this.#trial;
  }

  #becomeFull(): void {
    // A trial from before the store was full is outdated.
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
