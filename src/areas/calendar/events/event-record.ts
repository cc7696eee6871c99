import type { Moment } from '../../../formats/icalendar/values.ts';
import { DAY_SECONDS, dateOf, dayOf } from '../../../formats/recurrence/civil.ts';
import { intervalOf } from '../availability/meeting-times.ts';
import type { Meeting, Series } from './definition.ts';
import type { CalendarEvent, NewEvent } from './event-schema.ts';
import type { EventRow } from './event-store.ts';
import { definitionOf, resourcesOf } from './saving.ts';

/** The times that RFC 3339 can express, in milliseconds since the epoch: "years have four digits". */
const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether RFC 3339 can express a time in milliseconds since the epoch. */
export function canBeShown(time: number): boolean {
  return time >= FIRST && time <= LAST;
}

/** A time as RFC 3339, clamped to the range that it can express; the end of a meeting may lie beyond. */
export function shownTime(time: number): string {
  return new Date(Math.min(Math.max(time, FIRST), LAST)).toISOString();
}

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:([Zz])|([+-])(\d\d):(\d\d))?)?$/;

/** Parses a date, or a time with or without an offset, with a precision of seconds; undefined if it does not exist. */
export function momentOf(text: string): Moment | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(toNumber);
  const day = dayOf(year, month, date);
  const isDate = year > 0 && dateOf(day).day === date && dateOf(day).month === month;
  if (!isDate || hour > 23 || minute > 59 || second > 59) return undefined;
  if (match[4] === undefined) return { kind: 'date', day };
  const seconds = day * DAY_SECONDS + hour * 3600 + minute * 60 + second;
  const [hours = 0, minutes = 0] = match.slice(9).map(toNumber);
  if (hours > 23 || minutes > 59) return undefined;
  if (match[7] === undefined && match[8] === undefined) return { kind: 'local', seconds };
  return { kind: 'utc', seconds: seconds - (match[8] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60) };
}

function toNumber(text: string | undefined): number {
  return Number(text ?? 0);
}

/** A moment in the format of requests and answers. */
function momentAsTime(moment: Moment): string {
  if (moment.kind === 'date') return shownTime(moment.day * DAY_SECONDS * 1000).slice(0, 10);
  return moment.kind === 'utc'
    ? shownTime(moment.seconds * 1000)
    : shownTime(moment.seconds * 1000).slice(0, -1);
}

/** The API record of an event. */
export function eventRecord(row: EventRow): CalendarEvent {
  const meeting = mainMeeting(row);
  const { start, end } = intervalOf(meeting, row.time_zone);
  const { allDay, attendees } = meeting;
  const dates = allDay ? datesOf(meeting) : undefined;
  return {
    id: row.id,
    calendar_id: row.calendar_id,
    starts_at: dates?.starts_at ?? shownTime(start),
    ends_at: dates?.ends_at ?? shownTime(end),
    time_zone: zoneName(meeting, row.time_zone),
    all_day: allDay,
    recurrence: meeting.lines,
    status: meeting.status,
    transparency: meeting.transparency,
    attendees: attendees.map(({ email }) => email),
    responses: attendees,
    resources: resourcesOf(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

/** The fields that would create this event again, as the base for a partial change. */
export function fieldsOf(row: EventRow): NewEvent {
  const meeting = mainMeeting(row);
  const { zone, allDay, lines } = meeting;
  const isFloating = zone === null && !allDay;
  return {
    ...(isFloating ? floatingTimes(meeting) : times(row)),
    all_day: allDay,
    ...(typeof zone === 'string' && { time_zone: zone }),
    recurrence: lines,
    status: meeting.status,
    transparency: meeting.transparency,
  };
}

function times(row: EventRow): Pick<NewEvent, 'starts_at' | 'ends_at'> {
  const { starts_at, ends_at } = eventRecord(row);
  return { starts_at, ends_at };
}

function floatingTimes({ start, days, seconds }: Meeting): Pick<NewEvent, 'starts_at' | 'ends_at'> {
  const local = (at: number): Moment => ({ kind: 'local', seconds: at });
  return {
    starts_at: momentAsTime(local(start)),
    ends_at: momentAsTime(local(start + days * DAY_SECONDS + seconds)),
  };
}

function datesOf({ start, days, seconds }: Meeting): Pick<NewEvent, 'starts_at' | 'ends_at'> {
  const day = Math.floor(start / DAY_SECONDS);
  const length = Math.max(1, days + Math.ceil(seconds / DAY_SECONDS));
  return {
    starts_at: momentAsTime({ kind: 'date', day }),
    ends_at: momentAsTime({ kind: 'date', day: day + length }),
  };
}

/** A zone that an import defined has no well-known name; UTC is reported instead. */
function zoneName({ zone }: Meeting, calendarZone: string): string {
  if (zone === null) return calendarZone;
  return typeof zone === 'string' ? zone : 'UTC';
}

/** The series, or the first override if there is no series. */
function mainMeeting(row: EventRow): Meeting & Pick<Series, 'lines'> {
  const { series, overrides } = definitionOf(row);
  const [first] = overrides;
  if (series) return series;
  if (!first) throw new TypeError(`${row.id} defines no meeting`);
  return { ...first, lines: [] };
}
