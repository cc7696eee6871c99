/** Shares out a number of bytes; who finds too few left waits for those who came before. */
export class MemoryBudget {
  readonly #total: number;
  #left: number;
  readonly #waiting: { bytes: number; start: () => void }[] = [];

  constructor(bytes: number) {
    this.#total = bytes;
    this.#left = bytes;
  }

  /** Resolves when there is room, with the function that gives it back. More than there is at all takes everything. */
  async take(bytes: number): Promise<() => void> {
    const share = Math.min(bytes, this.#total);
    await new Promise<void>((start) => {
      this.#waiting.push({ bytes: share, start });
      this.#startNext();
    });
    return () => {
      this.#left += share;
      this.#startNext();
    };
  }

  #startNext(): void {
    for (let next = this.#waiting[0]; next && next.bytes <= this.#left; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#left -= next.bytes;
      next.start();
    }
  }
}
