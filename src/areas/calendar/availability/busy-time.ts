import { shownTime } from '../events/shown-time.ts';
import type { Interval } from '../recurrence/intervals.ts';

/** A time at which somebody or something is busy, in milliseconds since the epoch. */
export class BusyTime implements Interval {
  readonly start: number;
  readonly end: number;
  #json: string | undefined;

  constructor({ start, end }: Interval) {
    this.start = start;
    this.end = end;
  }

  /** As an answer shows it: made once, for what is asked about is asked about again. */
  get json(): string {
    this.#json ??= `{"starts_at":"${shownTime(this.start)}","ends_at":"${shownTime(this.end)}"}`;
    return this.#json;
  }
}
