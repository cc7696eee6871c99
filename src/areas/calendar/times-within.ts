import type { Interval } from './intervals.ts';

/** More seconds than a window that is asked about has. */
const LONGEST = 2 ** 26;
const FEW = 256;

/**
 * Times within a window of whole seconds, of which the union is wanted. Each is kept as one number, its start before its
 * length: numbers are sorted much faster than intervals.
 */
export class TimesWithin {
  readonly #from: number;
  readonly #length: number;
  #times = new Float64Array(FEW);
  #count = 0;

  /** `window`: in milliseconds since the epoch, less than two years long. */
  constructor(window: Interval) {
    this.#from = window.start / 1000;
    this.#length = window.end / 1000 - this.#from;
  }

  /** Adds what of a time lies within the window; seconds since the epoch. */
  add(start: number, end: number): void {
    const from = Math.max(0, start - this.#from);
    const length = Math.min(this.#length, end - this.#from) - from;
    if (length <= 0) return;
    if (this.#count === this.#times.length) this.#grow();
    this.#times[this.#count++] = from * LONGEST + length;
  }

  #grow(): void {
    const times = new Float64Array(this.#count * 2);
    times.set(this.#times);
    this.#times = times;
  }

  /** Takes out all that was added, as one: sorted, none touching another, none empty; in milliseconds since the epoch. */
  takeUnion(): Interval[] {
    const union: Interval[] = [];
    let last: Interval | undefined;
    const sorted = this.#times.subarray(0, this.#count).sort();
    this.#count = 0;
    for (const time of sorted) {
      const from = Math.floor(time / LONGEST);
      const start = (this.#from + from) * 1000;
      const end = start + (time - from * LONGEST) * 1000;
      if (last && start <= last.end) {
        last.end = Math.max(last.end, end);
        continue;
      }
      last = { start, end };
      union.push(last);
    }
    return union;
  }
}
