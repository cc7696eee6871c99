import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { type DayRule, namedDays } from '../../../formats/recurrence/named-days.ts';
import { ianaZone, type Zone } from '../../../formats/recurrence/zone.ts';
import type { MeetingPattern, SeriesPattern } from '../availability/busy-patterns.ts';
import { endOf, longest } from '../availability/meeting-times.ts';
import type { Interval } from './intervals.ts';
import { Moments } from './occurrences.ts';
import type { TimesWithin } from './times-within.ts';

/** Computes the times of patterns within a window. */
export class PatternTimes {
  /** Seconds since the epoch. */
  readonly #start: number;
  readonly #ruleDays: RuleDays;

  /** `window`: in milliseconds since the epoch. */
  constructor(window: Interval) {
    this.#start = window.start / 1000;
    this.#ruleDays = new RuleDays(window);
  }

  addTo(times: TimesWithin, pattern: MeetingPattern | SeriesPattern): void {
    if (isSeries(pattern)) this.#addSeries(times, pattern);
    else addMeeting(times, pattern);
  }

  #addSeries(times: TimesWithin, [name, start, days, seconds, rule, last, left]: SeriesPattern): void {
    const zone = ianaZone(name);
    const gone = left && Moments.ofNumbers(left);
    const length = Math.max(0, longest({ days, seconds }));
    const timeOfDay = start - Math.floor(start / DAY_SECONDS) * DAY_SECONDS;
    const latest = last ?? Number.POSITIVE_INFINITY;
    // Most series began long before the window; for these the first instance is not computed.
    if (start + length + 2 * DAY_SECONDS > this.#start) addAt(start);
    const { days: named, midnights } = this.#ruleDays.of(zone, rule, Math.ceil(length / DAY_SECONDS));
    for (let i = 0; i < named.length; i++) {
      const local = (named[i] ?? 0) * DAY_SECONDS + timeOfDay;
      if (local > latest) return;
      if (local <= start) continue;
      const utc = (midnights[i] ?? Number.NaN) + timeOfDay;
      if (gone || Number.isNaN(utc)) addAt(local);
      else times.add(utc, utc + length);
    }

    function addAt(local: number): void {
      const utc = zone.toUtc(local);
      if (!gone?.holds(local, utc)) times.add(utc, endOf(zone, local, utc, days, seconds));
    }
  }
}

function isSeries(pattern: MeetingPattern | SeriesPattern): pattern is SeriesPattern {
  return pattern.length > 4;
}

function addMeeting(times: TimesWithin, [name, start, days, seconds]: MeetingPattern): void {
  const zone = ianaZone(name);
  const utc = zone.toUtc(start);
  times.add(utc, endOf(zone, start, utc, days, seconds));
}

const DAY_MS = DAY_SECONDS * 1000;
/** Local times of the same moment differ by at most a day, and clocks are changed by less than a day. */
const CLOCK_DAYS = 2;

/** The days that a rule generates, in order, and the start of each day on a clock. */
interface ClockDays {
  days: readonly number[];
  /** Seconds since the epoch; NaN if the clock may be changed within a day of that day. */
  midnights: Float64Array;
}

/** The days near a window that rules generate, computed once for all series with the same rule. */
class RuleDays {
  readonly #window: Interval;
  readonly #known = new Map<Zone, Map<number, Map<DayRule, ClockDays>>>();

  /** `window`: in milliseconds since the epoch. */
  constructor(window: Interval) {
    this.#window = window;
  }

  /** The days on which a meeting of `reach` days may overlap the window. */
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
