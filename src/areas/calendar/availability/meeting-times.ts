import type { Duration } from '../../../formats/icalendar/values.ts';
import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import { ianaZone, type Zone, zoneOf } from '../../../formats/recurrence/zone.ts';
import type { Meeting, MeetingTime, ZoneRef } from '../events/definition.ts';
import type { Interval } from '../recurrence/intervals.ts';

/** Maximum length of a recurring meeting, and of each of its instances. */
export const MOST_RECURRING_SECONDS = 366 * DAY_SECONDS;

/** The clock of a zone reference in a calendar with this zone. */
export function zoneFor(ref: ZoneRef, calendarZone: string): Zone {
  if (ref === null) return ianaZone(calendarZone);
  return typeof ref === 'string' ? ianaZone(ref) : zoneOf(ref.initial, ref.transitions);
}

/** The time of a meeting, in milliseconds since the epoch. */
export function intervalAt(zone: Zone, { start, days, seconds, exact }: MeetingTime): Interval {
  const utc = exact ?? zone.toUtc(start);
  return { start: utc * 1000, end: endOf(zone, start, utc, days, seconds) * 1000 };
}

/** The end of a meeting that starts at a local time and the corresponding UTC time; in seconds since the epoch. */
export function endOf(zone: Zone, local: number, utc: number, days: number, seconds: number): number {
  const end = (days === 0 ? utc : zone.toUtc(local + days * DAY_SECONDS)) + seconds;
  return Math.max(utc, end);
}

/** The time of a meeting in a calendar with this zone, in milliseconds since the epoch. */
export function intervalOf(meeting: Meeting, calendarZone: string): Interval {
  return intervalAt(zoneFor(meeting.zone, calendarZone), meeting);
}

/** The maximum length of a meeting in seconds, on any day. */
export function longest({ days, seconds }: Duration): number {
  return days * DAY_SECONDS + seconds;
}
