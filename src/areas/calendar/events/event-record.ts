import type { Moment } from '../../../formats/icalendar/values.ts';
import { DAY_SECONDS, dateOf, dayOf } from '../../../formats/recurrence/civil.ts';
import { intervalOf } from '../availability/meeting-times.ts';
import type { Attendee, Meeting, Series } from './definition.ts';
import type { CalendarEvent, EventDetails, NewEvent } from './event-schema.ts';
import type { EventRow } from './event-store.ts';
import { addressKey } from './holders.ts';
import { definitionOf, resourcesOf } from './save-events.ts';

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

/** The API record of an event. `users`: as in eventDetails. */
export function eventRecord(row: EventRow, users: ReadonlyMap<string, string>): CalendarEvent {
  const meeting = mainMeeting(row);
  const { attendees } = meeting;
  const { resources, created_at, updated_at } = rowFields(row);
  return {
    ...meetingFields(row, meeting),
    attendees: attendees.map(({ email }) => email),
    responses: attendees.map(({ email, response }) => ({ email, response })),
    external: externalAmong(attendees, users),
    resources,
    created_at,
    updated_at,
  };
}

/** An event as its owner reads it. `users`: the ids of the users with these addresses, by the key of the address. */
export function eventDetails(row: EventRow, users: ReadonlyMap<string, string>): EventDetails {
  const meeting = mainMeeting(row);
  const { resources, created_at, updated_at } = rowFields(row);
  return {
    ...meetingFields(row, meeting),
    attendees: meeting.attendees.map((attendee) => attendeeRecord(attendee, users)),
    external: externalAmong(meeting.attendees, users),
    resources,
    created_at,
    updated_at,
  };
}

/** The keys of the addresses that the record of an event shows. */
export function shownAddresses(row: EventRow): string[] {
  return mainMeeting(row).attendees.map(({ email }) => addressKey(email));
}

/** The addresses of attendees that no user of the workspace has, as the event lists them. */
function externalAmong(attendees: readonly Attendee[], users: ReadonlyMap<string, string>): string[] {
  return attendees.map(({ email }) => email).filter((email) => !users.has(addressKey(email)));
}

function attendeeRecord({ email, response }: Attendee, users: ReadonlyMap<string, string>) {
  const userId = users.get(addressKey(email));
  return { address: email, ...(userId !== undefined && { user_id: userId }), response };
}

/** What the records of an event say of one of its meetings. */
export function meetingFields(row: EventRow, meeting: ListedMeeting) {
  const { start, end } = intervalOf(meeting, row.time_zone);
  const { allDay } = meeting;
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
  };
}

/** What the records of an event say of the whole. */
export function rowFields(row: EventRow) {
  return {
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
  const { starts_at, ends_at } = meetingFields(row, mainMeeting(row));
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

/** A meeting with its recurrence; without any unless it is a series. */
export type ListedMeeting = Meeting & Pick<Series, 'lines'>;

/** The series, or the first override if there is no series. */
export function mainMeeting(row: EventRow): ListedMeeting {
  const { series, overrides } = definitionOf(row);
  const [first] = overrides;
  if (series) return series;
  if (!first) throw new TypeError(`${row.id} defines no meeting`);
  return { ...first, lines: [] };
}
