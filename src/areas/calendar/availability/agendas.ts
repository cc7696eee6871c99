import { sortInTurns } from '../../../turns/in-turns.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { type Interval, mergeIntervals } from '../recurrence/intervals.ts';

/** Busy times that are sorted and disjoint. */
interface Busy {
  busy: readonly Interval[];
  /** Times that hinder as well, but need no buffer. */
  away?: readonly Interval[];
}

/** Sorted, disjoint intervals. Queries must come with ascending starts: one pass over the intervals serves all of them. */
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
    const sorted = await sortInTurns(all, (a, b) => a.start - b.start);
    return new Agenda(mergeIntervals(sorted));
  }

  /** Whether the span overlaps an interval. Spans that only touch do not overlap. */
  meets({ start, end }: Interval): boolean {
    const next = this.#endingAfter(start);
    return next !== undefined && next.start < end;
  }

  /** Whether one interval contains the whole span. */
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

/**
 * Counts the participants who cannot attend a meeting. Queries must come with ascending starts: one pass serves all of
 * them.
 */
export class Crowd {
  /** Sorted start times of meetings at which one more participant becomes unable to attend, and at which one becomes able. */
  readonly #begins: readonly number[];
  readonly #ends: readonly number[];
  #begun = 0;
  #ended = 0;

  private constructor(begins: readonly number[], ends: readonly number[]) {
    this.#begins = begins;
    this.#ends = ends;
  }

  /** `duration` and `buffer` of the meeting, as whole numbers in the unit of the intervals. */
  static async of(
    participants: readonly Busy[],
    { duration, buffer }: { duration: number; buffer: number },
  ): Promise<Crowd> {
    const begins: number[] = [];
    const ends: number[] = [];
    for (const { busy, away } of participants) {
      const hindered = busy.map((time) => hinderedStarts(time, duration, buffer));
      for (const time of away ?? []) hindered.push(hinderedStarts(time, duration, 0));
      for (const { start, end } of mergeIntervals(hindered)) {
        begins.push(start);
        ends.push(end);
      }
      await giveWay();
    }
    const inOrder = (times: readonly number[]) => sortInTurns(times, (a, b) => a - b);
    return new Crowd(await inOrder(begins), await inOrder(ends));
  }

  busyAt(start: number): number {
    while ((this.#begins[this.#begun] ?? Number.POSITIVE_INFINITY) <= start) this.#begun++;
    while ((this.#ends[this.#ended] ?? Number.POSITIVE_INFINITY) <= start) this.#ended++;
    return this.#begun - this.#ended;
  }
}

/** A start conflicts if the meeting with its buffer ends after the busy time begins and starts before it ends. */
function hinderedStarts({ start, end }: Interval, duration: number, buffer: number): Interval {
  return { start: start - duration - buffer + 1, end: end + buffer };
}
