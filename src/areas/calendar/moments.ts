import type { Moment } from '../../formats/icalendar/values.ts';
import { DAY_SECONDS } from '../../formats/recurrence/civil.ts';

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

  /** Whether the instance is one of them that starts at a local time, which is this UTC time (both in seconds). */
  holds(local: number, utc: number): boolean {
    const { date, local: locals, utc: utcs } = this.#named;
    return locals.has(local) || utcs.has(utc) || date.has(Math.floor(local / DAY_SECONDS));
  }
}

function numberOf(moment: Moment): number {
  return moment.kind === 'date' ? moment.day : moment.seconds;
}
