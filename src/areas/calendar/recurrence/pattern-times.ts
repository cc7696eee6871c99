import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { ianaZone } from '../../../formats/recurrence/zone.ts';
import type { MeetingPattern, SeriesPattern } from '../availability/busy-patterns.ts';
import { endOf, longest } from '../availability/meeting-times.ts';
import type { Interval } from './intervals.ts';
import { Moments } from './moments.ts';
import { RuleDays } from './rule-days.ts';
import type { TimesWithin } from './times-within.ts';

/** When patterns are within a window. */
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
    // The clock of long ago is not looked at for each series: most began before the window.
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
