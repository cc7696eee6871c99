/** A semaphore of which each holder takes as much as it needs. Those that wait are served in the order that they came. */
export class WeightedSemaphore {
  readonly #capacity: number;
  #available: number;
  readonly #waiting: { weight: number; start: () => void }[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#available = capacity;
  }

  /** Resolves with the function that releases it. A weight above the capacity takes all of it. */
  async acquire(weight: number): Promise<() => void> {
    const taken = Math.min(weight, this.#capacity);
    await new Promise<void>((start) => {
      this.#waiting.push({ weight: taken, start });
      this.#startNext();
    });
    return () => {
      this.#available += taken;
      this.#startNext();
    };
  }

  #startNext(): void {
    for (let next = this.#waiting[0]; next && next.weight <= this.#available; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#available -= next.weight;
      next.start();
    }
  }
}
