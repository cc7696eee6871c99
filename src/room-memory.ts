/** How long what a trial has found out stands: whoever asks for readiness cannot have the disk written to all the time. */
const KNOWN_FOR_MS = 1_000;

/**
 * Remembers that something found no room, until a trial finds some. Whoever asks learns by that whether what is stored
 * next is likely to be refused: how much room a store or a database needs it does not say beforehand.
 */
export class RoomMemory {
  readonly #isFull: (error: unknown) => boolean;
  readonly #tryRoom: () => Promise<void>;
  #wasFull = false;
  #trial: Promise<void> | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;

  /** `isFull`: whether an error says that there is no room; `tryRoom` stores something for a moment, or rejects. */
  constructor(isFull: (error: unknown) => boolean, tryRoom: () => Promise<void>) {
    this.#isFull = isFull;
    this.#tryRoom = tryRoom;
  }

  /** Does as `call`, and remembers where there was no room for it. */
  async watch<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (this.#isFull(error)) this.#lacked();
      throw error;
    }
  }

  /** Resolves when nothing has lacked room since some was found. Rejects as the trial does. */
  async check(): Promise<void> {
    if (!this.#wasFull) return;
    if (performance.now() - this.#triedAt > KNOWN_FOR_MS) this.#trial = undefined;
    this.#trial ??= this.#try();
    await this.#trial;
  }

  #lacked(): void {
    // What was found out before this says nothing any more.
    if (!this.#wasFull) this.#trial = undefined;
    this.#wasFull = true;
  }

  async #try(): Promise<void> {
    this.#triedAt = Number.POSITIVE_INFINITY;
    try {
      await this.#tryRoom();
      this.#wasFull = false;
    } finally {
      this.#triedAt = performance.now();
    }
  }
}
