import { DAY_SECONDS } from '../../formats/recurrence/civil.ts';
import { type DayRule, namedDays } from '../../formats/recurrence/named-days.ts';
import { ianaZone } from '../../formats/recurrence/zone.ts';
import type { MeetingPattern, SeriesPattern } from './busy-patterns.ts';
import type { Interval } from './intervals.ts';
import { endOf, longest } from './meeting-times.ts';
import { Moments } from './moments.ts';
import type { TimesWithin } from './times-within.ts';

/** Clocks of one moment are a day apart at most, and are set by less than one. */
const CLOCK_DAYS = 2;

/** When patterns are within a window. Days that rules name are worked out once, however many patterns have the rule. */
export class PatternTimes {
  readonly #window: Interval;
  readonly #days = new Map<number, Map<DayRule, readonly number[]>>();

  /** `window`: in milliseconds since the epoch. */
  constructor(window: Interval) {
    this.#window = window;
  }

  addTo(times: TimesWithin, pattern: MeetingPattern | SeriesPattern): void {
    if (isSeries(pattern)) this.#addSeries(times, pattern);
    else addMeeting(times, pattern);
  }

  #addSeries(times: TimesWithin, [name, start, days, seconds, rule, last, left]: SeriesPattern): void {
    const zone = ianaZone(name);
    const gone = left && Moments.ofNumbers(left);
    const reach = Math.ceil(longest({ days, seconds }) / DAY_SECONDS);
    const timeOfDay = start - Math.floor(start / DAY_SECONDS) * DAY_SECONDS;
    const latest = last ?? Number.POSITIVE_INFINITY;
    addAt(start);
    for (const day of this.#daysOf(rule, reach)) {
      const local = day * DAY_SECONDS + timeOfDay;
      if (local > latest) return;
      if (local > start) addAt(local);
    }

    function addAt(local: number): void {
      const utc = zone.toUtc(local);
      if (!gone?.holds(local, utc)) times.add(utc, endOf(zone, local, utc, days, seconds));
    }
  }

  /** The days on which what is so many days long may be in the window. */
  #daysOf(rule: DayRule, reach: number): readonly number[] {
    const byRule = this.#days.get(reach) ?? new Map<DayRule, readonly number[]>();
    this.#days.set(reach, byRule);
    let days = byRule.get(rule);
    if (!days) {
      const first = Math.floor(this.#window.start / DAY_MS) - CLOCK_DAYS - reach;
      days = namedDays(rule, first, Math.ceil(this.#window.end / DAY_MS) + CLOCK_DAYS);
      byRule.set(rule, days);
    }
    return days;
  }
}

const DAY_MS = DAY_SECONDS * 1000;

function isSeries(pattern: MeetingPattern | SeriesPattern): pattern is SeriesPattern {
  return pattern.length > 4;
}

function addMeeting(times: TimesWithin, [name, start, days, seconds]: MeetingPattern): void {
  const zone = ianaZone(name);
  const utc = zone.toUtc(start);
  times.add(utc, endOf(zone, start, utc, days, seconds));
}
