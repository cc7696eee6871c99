import { type Interval, merged } from './intervals.ts';

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

  static ofAll(participants: readonly Busy[]): Agenda {
    return new Agenda(merged(participants.flatMap(({ busy }) => busy)));
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
  readonly #begins: Float64Array;
  readonly #ends: Float64Array;
  #begun = 0;
  #ended = 0;

  /** `duration` and `buffer` of the meeting, in the unit of the intervals, which are whole numbers. */
  constructor(participants: readonly Busy[], { duration, buffer }: { duration: number; buffer: number }) {
    // A start clashes with what ends after it without its buffer, and starts before the end with it.
    const hindered = participants.flatMap(({ busy }) =>
      merged(busy.map(({ start, end }) => ({ start: start - duration - buffer + 1, end: end + buffer }))),
    );
    this.#begins = Float64Array.from(hindered, ({ start }) => start).sort();
    this.#ends = Float64Array.from(hindered, ({ end }) => end).sort();
  }

  busyAt(start: number): number {
    while ((this.#begins[this.#begun] ?? Number.POSITIVE_INFINITY) <= start) this.#begun++;
    while ((this.#ends[this.#ended] ?? Number.POSITIVE_INFINITY) <= start) this.#ended++;
    return this.#begun - this.#ended;
  }
}
