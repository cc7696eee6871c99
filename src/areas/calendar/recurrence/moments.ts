import type { Moment } from '../../../formats/icalendar/values.ts';
import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';

/** A set of instances, each named by its local time, its UTC time or its day. */
export class Moments {
  readonly #named: Record<Moment['kind'], Set<number>> = {
    date: new Set(),
    local: new Set(),
    utc: new Set(),
  };

  constructor(moments: readonly Moment[]) {
    for (const moment of moments) this.#named[moment.kind].add(numberOf(moment));
  }

  static ofNumbers([dates, locals, utcs]: MomentNumbers): Moments {
    const moments = new Moments([]);
    const { date, local, utc } = moments.#named;
    for (const day of dates) date.add(day);
    for (const seconds of locals) local.add(seconds);
    for (const seconds of utcs) utc.add(seconds);
    return moments;
  }

  get numbers(): MomentNumbers {
    const { date, local, utc } = this.#named;
    return [[...date], [...local], [...utc]];
  }

  /** Whether the instance is one of them that starts at a local time, which is this UTC time (both in seconds). */
  holds(local: number, utc: number): boolean {
    const { date, local: locals, utc: utcs } = this.#named;
    return locals.has(local) || utcs.has(utc) || date.has(Math.floor(local / DAY_SECONDS));
  }
}

/** Days since the epoch, local seconds, and seconds since the epoch. */
export type MomentNumbers = [dates: number[], locals: number[], utcs: number[]];

/** Of a date its day since the epoch, of a time its seconds since then. */
export function numberOf(moment: Moment): number {
  return moment.kind === 'date' ? moment.day : moment.seconds;
}
