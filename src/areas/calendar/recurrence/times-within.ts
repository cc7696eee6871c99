import { MarkedTimes } from '../availability/marked-times.ts';
import type { Interval } from './intervals.ts';

/** More seconds than a window that is asked about has. */
const LONGEST = 2 ** 26;
const FEW = 256;
/** From so many on they are marked by the second, which takes four megabytes a year and no sorting of millions. */
const MANY = 65_536;
const MINUTE = 60;

/**
 * Times within a window of whole seconds, of which the union is wanted. Those of whole minutes, which most are, are
 * marked in a set of minutes. Each of the others is kept as one number, its start before its length: numbers are sorted
 * much faster than intervals. Where these are many, they are marked in a set of seconds.
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

  /** Adds what of a time lies within the window; seconds since the epoch. */
  add(start: number, end: number): void {
    const from = Math.max(0, start - this.#from);
    const to = Math.min(this.#length, end - this.#from);
    if (from >= to) return;
    // A remainder of numbers this large takes longer than all the rest.
    const firstMinute = (from / MINUTE) | 0;
    const endMinute = (to / MINUTE) | 0;
    if (firstMinute * MINUTE === from && endMinute * MINUTE === to)
      this.#minutes.mark(firstMinute, endMinute);
    else this.#keep(from, to);
  }

  #keep(from: number, to: number): void {
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

  /** What overlaps becomes one first: to mark a whole year again and again would take long. */
  #markOthers(seconds: MarkedTimes): void {
    for (const [from, to] of united(this.#takeOthers())) seconds.mark(from, to);
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
   * Takes out all that was added, as one: sorted, none touching another, none empty; in milliseconds since the epoch. To
   * be walked to the end.
   */
  *takeUnion(): Generator<Interval> {
    if (this.#count > 0 || this.#seconds) {
      for (const [from, to] of this.#minutes.take()) this.#keep(from * MINUTE, to * MINUTE);
      for (const [from, to] of this.#takeSeconds()) yield this.#interval(from, to);
    } else {
      for (const [from, to] of this.#minutes.take()) yield this.#interval(from * MINUTE, to * MINUTE);
    }
  }

  #takeSeconds(): Iterable<[from: number, to: number]> {
    const seconds = this.#seconds;
    if (!seconds) return united(this.#takeOthers());
    this.#markOthers(seconds);
    this.#seconds = undefined;
    return seconds.take();
  }

  /** From seconds of the window. */
  #interval(from: number, to: number): Interval {
    return { start: (this.#from + from) * 1000, end: (this.#from + to) * 1000 };
  }
}

/** The union of times in order, each its start before its length. */
function* united(sorted: Float64Array): Generator<[from: number, to: number]> {
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
