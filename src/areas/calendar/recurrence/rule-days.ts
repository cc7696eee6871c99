import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { type DayRule, namedDays } from '../../../formats/recurrence/named-days.ts';
import type { Zone } from '../../../formats/recurrence/zone.ts';
import type { Interval } from './intervals.ts';

const DAY_MS = DAY_SECONDS * 1000;
/** Clocks of one moment are a day apart at most, and are set by less than one. */
const CLOCK_DAYS = 2;

/** Days that a rule names, in order, and when each begins by a clock. */
export interface ClockDays {
  days: readonly number[];
  /** Seconds since the epoch; NaN for a day within a day of which the clock may be set. */
  midnights: Float64Array;
}

/** The days near a window that rules name, worked out once for all that recurs on them. */
export class RuleDays {
  readonly #window: Interval;
  readonly #known = new Map<Zone, Map<number, Map<DayRule, ClockDays>>>();

  /** `window`: in milliseconds since the epoch. */
  constructor(window: Interval) {
    this.#window = window;
  }

  /** The days on which what takes so many days may be in the window. */
  of(zone: Zone, rule: DayRule, reach: number): ClockDays {
    const byReach = entry(this.#known, zone, () => new Map<number, Map<DayRule, ClockDays>>());
    const byRule = entry(byReach, reach, () => new Map<DayRule, ClockDays>());
    return entry(byRule, rule, () => this.#daysOf(zone, rule, reach));
  }

  #daysOf(zone: Zone, rule: DayRule, reach: number): ClockDays {
    const first = Math.floor(this.#window.start / DAY_MS) - CLOCK_DAYS - reach;
    const days = namedDays(rule, first, Math.ceil(this.#window.end / DAY_MS) + CLOCK_DAYS);
    return { days, midnights: Float64Array.from(days, (day) => midnightOf(zone, day, reach)) };
  }
}

function midnightOf(zone: Zone, day: number, reach: number): number {
  const local = day * DAY_SECONDS;
  const offset = zone.offsetThroughout(local, local + (1 + reach) * DAY_SECONDS);
  return offset === undefined ? Number.NaN : local - offset;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
