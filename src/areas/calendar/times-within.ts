import type { Interval } from './intervals.ts';
import { MarkedMinutes } from './marked-minutes.ts';

/** More seconds than a window that is asked about has. */
const LONGEST = 2 ** 26;
const FEW = 256;
/** From so many on, they are made one before there is room for more: seldom, so that sorting stays cheap. */
const MANY = 65_536;
const MINUTE = 60;

/**
 * Times within a window of whole seconds, of which the union is wanted. Those of whole minutes, which most are, are
 * marked in a set of minutes. Each of the others is kept as one number, its start before its length: numbers are sorted
 * much faster than intervals.
 */
export class TimesWithin {
  readonly #from: number;
  readonly #length: number;
  readonly #minutes: MarkedMinutes;
  #others = new Float64Array(FEW);
  #count = 0;

  /** `window`: in milliseconds since the epoch, less than two years long. */
  constructor(window: Interval) {
    this.#from = window.start / 1000;
    this.#length = window.end / 1000 - this.#from;
    this.#minutes = new MarkedMinutes(Math.ceil(this.#length / MINUTE));
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

  /** What overlaps becomes one first: the room that is taken goes by the union. */
  #makeRoom(): void {
    const { length } = this.#others;
    if (length >= MANY) this.#uniteOthers();
    if (this.#count > length / 2) this.#grow();
  }

  #uniteOthers(): void {
    const sorted = this.#others.subarray(0, this.#count).sort();
    let last = 0;
    for (const time of sorted.subarray(1)) {
      const known = sorted[last] ?? 0;
      const from = Math.floor(known / LONGEST);
      const end = from + (known - from * LONGEST);
      const nextFrom = Math.floor(time / LONGEST);
      const nextEnd = nextFrom + (time - nextFrom * LONGEST);
      if (nextFrom > end) sorted[++last] = time;
      else sorted[last] = from * LONGEST + Math.max(end, nextEnd) - from;
    }
    this.#count = last + 1;
  }

  #grow(): void {
    const others = new Float64Array(this.#count * 2);
    others.set(this.#others);
    this.#others = others;
  }

  /** Takes out all that was added, as one: sorted, none touching another, none empty; in milliseconds since the epoch. */
  takeUnion(): Interval[] {
    if (this.#count > 0) return this.#takeSorted();
    const union: Interval[] = [];
    this.#minutes.take((from, to) => union.push(this.#interval(from * MINUTE, to * MINUTE)));
    return union;
  }

  #takeSorted(): Interval[] {
    this.#minutes.take((from, to) => this.#keep(from * MINUTE, to * MINUTE));
    const union: Interval[] = [];
    let last: Interval | undefined;
    const sorted = this.#others.subarray(0, this.#count).sort();
    this.#count = 0;
    for (const time of sorted) {
      const from = Math.floor(time / LONGEST);
      const next = this.#interval(from, time - from * LONGEST + from);
      if (last && next.start <= last.end) {
        last.end = Math.max(last.end, next.end);
        continue;
      }
      last = next;
      union.push(next);
    }
    return union;
  }

  /** From seconds of the window. */
  #interval(from: number, to: number): Interval {
    return { start: (this.#from + from) * 1000, end: (this.#from + to) * 1000 };
  }
}
