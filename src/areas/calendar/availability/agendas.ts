import { sortedInTurns } from '../../../turns/in-turns.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { type Interval, merged } from '../recurrence/intervals.ts';

/** Somebody whose busy times are sorted and apart. */
interface Busy {
  busy: readonly Interval[];
}

/** Intervals that are sorted and apart, asked about spans whose starts only grow: one walk answers all. */
export class Agenda {
  readonly #intervals: readonly Interval[];
  #next = 0;

  constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
  }

  static async ofAll(participants: readonly Busy[]): Promise<Agenda> {
    const all: Interval[] = [];
    for (const { busy } of participants) {
      for (const time of busy) all.push(time);
      await giveWay();
    }
    const sorted = await sortedInTurns(all, (a, b) => a.start - b.start);
    return new Agenda(merged(sorted));
  }

  /** Whether the span shares a moment with an interval. Touching is not sharing. */
  meets({ start, end }: Interval): boolean {
    const next = this.#endingAfter(start);
    return next !== undefined && next.start < end;
  }

  /** Whether one interval holds the whole span. */
  holds({ start, end }: Interval): boolean {
    const next = this.#endingAfter(start);
    return next !== undefined && next.start <= start && end <= next.end;
  }

  #endingAfter(time: number): Interval | undefined {
    for (let at = this.#intervals[this.#next]; at && at.end <= time; at = this.#intervals[this.#next])
      this.#next++;
    return this.#intervals[this.#next];
  }
}

/** How many of several cannot come to a meeting, asked for starts that only grow: one walk answers all. */
export class Crowd {
  /** Where one more cannot come from then on, and where one more can, in order. */
  readonly #begins: readonly number[];
  readonly #ends: readonly number[];
  #begun = 0;
  #ended = 0;

  private constructor(begins: readonly number[], ends: readonly number[]) {
    this.#begins = begins;
    this.#ends = ends;
  }

  /** `duration` and `buffer` of the meeting, in the unit of the intervals, which are whole numbers. */
  static async of(
    participants: readonly Busy[],
    { duration, buffer }: { duration: number; buffer: number },
  ): Promise<Crowd> {
    const begins: number[] = [];
    const ends: number[] = [];
    for (const { busy } of participants) {
      // A start clashes with what ends after it without its buffer, and starts before the end with it.
      const hindered = busy.map(({ start, end }) => ({
        start: start - duration - buffer + 1,
        end: end + buffer,
      }));
      for (const { start, end } of merged(hindered)) {
        begins.push(start);
        ends.push(end);
      }
      await giveWay();
    }
    const inOrder = (times: readonly number[]) => sortedInTurns(times, (a, b) => a - b);
    return new Crowd(await inOrder(begins), await inOrder(ends));
  }

  busyAt(start: number): number {
    while ((this.#begins[this.#begun] ?? Number.POSITIVE_INFINITY) <= start) this.#begun++;
    while ((this.#ends[this.#ended] ?? Number.POSITIVE_INFINITY) <= start) this.#ended++;
    return this.#begun - this.#ended;
  }
}
