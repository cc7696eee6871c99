/** A stream of numbers from 0 to 1 that is the same for the same seed (mulberry32): a benchmark measures the same mail every time. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  /** One of the values, each as often as its share of all says. */
  weighted<T>(shares: readonly (readonly [T, number])[]): T {
    let left = this.next() * shares.reduce((sum, [, share]) => sum + share, 0);
    const found = shares.find(([, share]) => {
      left -= share;
      return left < 0;
    });
    return (found ?? shares[0])?.[0] as T;
  }
}
