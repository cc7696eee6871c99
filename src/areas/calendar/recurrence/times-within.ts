import { MarkedTimes } from '../availability/marked-times.ts';
import type { Interval } from './intervals.ts';

/** More seconds than any queried window has. */
const LONGEST = 2 ** 26;
const FEW = 256;
/** From this count on, times are marked by the second: four megabytes for a year instead of sorting millions. */
const MANY = 65_536;
const MINUTE = 60;

/**
 * Collects times within a window of whole seconds and returns their union. Times of whole minutes (most are) are marked
 * in a set of minutes. Each other time is stored as one number, with the start in the high digits and the length in the
 * low ones: numbers are sorted much faster than intervals. If there are many, they are marked in a set of seconds.
 */
export class TimesWithin {
  readonly #from: number;
  readonly #length: number;
  readonly #minutes: MarkedTimes;
  #others = new Float64Array(FEW);
  #count = 0;
  #seconds: MarkedTimes | undefined;

  /** `window`: in milliseconds since the epoch, less than two years long. */
  constructor(window: Interval) {
    this.#from = window.start / 1000;
    this.#length = window.end / 1000 - this.#from;
    this.#minutes = new MarkedTimes(Math.ceil(this.#length / MINUTE));
  }

  /** Adds a time, clipped to the window; seconds since the epoch. */
  add(start: number, end: number): void {
    const from = Math.max(0, start - this.#from);
    const to = Math.min(this.#length, end - this.#from);
    if (from >= to) return;
    // For numbers of this size, the operator % would take longer than everything else.
    const firstMinute = (from / MINUTE) | 0;
    const endMinute = (to / MINUTE) | 0;
    if (firstMinute * MINUTE === from && endMinute * MINUTE === to)
      this.#minutes.mark(firstMinute, endMinute);
    else this.#addOther(from, to);
  }

  #addOther(from: number, to: number): void {
    if (this.#count === this.#others.length) this.#makeRoom();
    this.#others[this.#count++] = from * LONGEST + to - from;
  }

  #makeRoom(): void {
    const { length } = this.#others;
    if (length < MANY) this.#grow();
    else this.#markOthers(this.#markedSeconds());
  }

  #markedSeconds(): MarkedTimes {
    this.#seconds ??= new MarkedTimes(this.#length);
    return this.#seconds;
  }

  /** Overlapping times are merged first, because marking a whole year repeatedly would take long. */
  #markOthers(seconds: MarkedTimes): void {
    for (const [from, to] of unionOf(this.#takeOthers())) seconds.mark(from, to);
  }

  #takeOthers(): Float64Array {
    const others = this.#others.subarray(0, this.#count).sort();
    this.#count = 0;
    return others;
  }

  #grow(): void {
    const others = new Float64Array(this.#count * 2);
    others.set(this.#others);
    this.#others = others;
  }

  /**
   * Removes all added times and yields their union: sorted, not touching, not empty; in milliseconds since the epoch.
   * The caller must iterate to the end.
   */
  *takeUnion(): Generator<Interval> {
    if (this.#count > 0 || this.#seconds) {
      for (const [from, to] of this.#minutes.take()) this.#addOther(from * MINUTE, to * MINUTE);
      for (const [from, to] of this.#takeSeconds()) yield this.#interval(from, to);
    } else {
      for (const [from, to] of this.#minutes.take()) yield this.#interval(from * MINUTE, to * MINUTE);
    }
  }

  #takeSeconds(): Iterable<[from: number, to: number]> {
    const seconds = this.#seconds;
    if (!seconds) return unionOf(this.#takeOthers());
    this.#markOthers(seconds);
    this.#seconds = undefined;
    return seconds.take();
  }

  /** Converts seconds of the window. */
  #interval(from: number, to: number): Interval {
    return { start: (this.#from + from) * 1000, end: (this.#from + to) * 1000 };
  }
}

/** The union of sorted times, each encoded as start and length. */
function* unionOf(sorted: Float64Array): Generator<[from: number, to: number]> {
  let last: [from: number, to: number] | undefined;
  for (const time of sorted) {
    const from = Math.floor(time / LONGEST);
    const to = from + (time - from * LONGEST);
    if (last && from <= last[1]) {
      last[1] = Math.max(last[1], to);
      continue;
    }
    if (last) yield last;
    last = [from, to];
  }
  if (last) yield last;
}
