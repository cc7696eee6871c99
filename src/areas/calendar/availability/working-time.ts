import { DAY_SECONDS, weekdayOf } from '../../../formats/recurrence/civil.ts';
import type { Zone } from '../../../formats/recurrence/zone.ts';
import { clipped, type Interval, merged } from '../recurrence/intervals.ts';

/** Hours of some days of the week, by the clock on the wall. */
export interface WorkingHours {
  /** 1 for Monday to 7 for Sunday. */
  days: readonly number[];
  /** Minutes from midnight. */
  start: number;
  end: number;
}

/** The working time within a window (milliseconds since the epoch), where the clock is that of the zone. */
export function workingTime(hours: readonly WorkingHours[], zone: Zone, window: Interval): Interval[] {
  const first = dayAt(zone, window.start) - 1;
  const last = dayAt(zone, window.end) + 1;
  const periods: Interval[] = [];
  for (let day = first; day <= last; day++) {
    for (const { days, start, end } of hours) {
      if (days.includes(weekdayOf(day) + 1))
        periods.push({ start: at(zone, day, start), end: at(zone, day, end) });
    }
  }
  return clipped(merged(periods), window);
}

function dayAt(zone: Zone, time: number): number {
  return Math.floor(zone.toLocal(Math.floor(time / 1000)) / DAY_SECONDS);
}

function at(zone: Zone, day: number, minutes: number): number {
  return zone.toUtc(day * DAY_SECONDS + minutes * 60) * 1000;
}
