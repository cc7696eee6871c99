import { type Property, parameterValues } from '../../../formats/content-lines.ts';
import {
  type Duration,
  type EventComponent,
  type Moment,
  readDuration,
  readMoment,
} from '../../../formats/icalendar/values.ts';
import { DAY_SECONDS, dayOf } from '../../../formats/recurrence/civil.ts';
import { EMAIL_ADDRESS, MAX_EMAIL_ADDRESS } from '../../../text/email-address.ts';
import { longest, MOST_RECURRING_SECONDS } from '../availability/meeting-times.ts';
import type {
  Attendee,
  AttendeeResponse,
  Meeting,
  MeetingTime,
  Override,
  Series,
  Version,
} from '../events/definition.ts';
import { MAX_LISTED } from '../events/event-schema.ts';
import { addressKey } from '../events/holders.ts';
import { addProperty, type Recurrence, stepsOfEvent } from '../recurrence/recurrence-lines.ts';
import { FLOATING, type ImportClock, importClock, refAt, refBetween, utcClock } from './import-clock.ts';

const RESPONSES: Record<string, AttendeeResponse> = {
  ACCEPTED: 'accepted',
  TENTATIVE: 'tentative',
  DECLINED: 'declined',
};

const ADDRESS = new RegExp(EMAIL_ADDRESS, 'u');

/** The attendees of a VEVENT, up to the limit of an event, and their total number. */
export interface ImportedAttendees {
  attendees: Attendee[];
  count: number;
}

/**
 * The attendees of a VEVENT: addresses and responses, without names. Above the limit of an event, the importing user
 * (whose response determines whether they are busy) comes first, then the organizer, then the others in order; the rest
 * is dropped, because a meeting with fewer attendees is better than none. `own`: the address keys of the user.
 */
export function attendeesOf(properties: readonly Property[], own: readonly string[]): ImportedAttendees {
  const listed = new Map<string, Attendee>();
  const first = new Set(own);
  for (const property of properties) {
    const email = /^(?:ATTENDEE|ORGANIZER)$/.test(property.name) ? addressOf(property) : undefined;
    if (email === undefined) continue;
    if (property.name === 'ORGANIZER') first.add(addressKey(email));
    else listed.set(addressKey(email), { email, response: responseOf(property) });
  }
  return { attendees: firstAttendees(listed, first), count: listed.size };
}

function firstAttendees(listed: ReadonlyMap<string, Attendee>, first: ReadonlySet<string>): Attendee[] {
  if (listed.size <= MAX_LISTED) return [...listed.values()];
  const before: Attendee[] = [];
  const after: Attendee[] = [];
  for (const [address, attendee] of listed) (first.has(address) ? before : after).push(attendee);
  return [...before, ...after].slice(0, MAX_LISTED);
}

/** Whether a VEVENT takes place, and whether it takes time. */
function statusOf(properties: readonly Property[]): Pick<Meeting, 'status' | 'transparency'> {
  const value = (name: string) =>
    properties
      .find((property) => property.name === name)
      ?.value.trim()
      .toUpperCase();
  const status = value('STATUS');
  return {
    status: status === 'CANCELLED' || status === 'TENTATIVE' ? lower(status) : 'confirmed',
    transparency: value('TRANSP') === 'TRANSPARENT' ? 'free' : 'busy',
  };
}

function lower(status: 'CANCELLED' | 'TENTATIVE'): 'cancelled' | 'tentative' {
  return status === 'CANCELLED' ? 'cancelled' : 'tentative';
}

/** The address of a mailto: value, else of the EMAIL parameter (RFC 7986, section 6.2). */
export function addressOf(property: Property): string | undefined {
  const [, mailbox] = /^\s*mailto:([^?]*)/i.exec(property.value) ?? [];
  return [mailbox, ...parameterValues(property, 'EMAIL')]
    .map((address) => address?.trim())
    .find((address) => address !== undefined && isAddress(address));
}

/** Whether a text is an address as requests take them. */
export function isAddress(text: string): boolean {
  return text.length <= MAX_EMAIL_ADDRESS && ADDRESS.test(text);
}

/** The answer of an ATTENDEE. */
export function responseOf(property: Property): AttendeeResponse {
  const [answer = ''] = parameterValues(property, 'PARTSTAT');
  return RESPONSES[answer.trim().toUpperCase()] ?? 'needs_action';
}

/** A VEVENT: a series (of one or more instances), or an override of an instance. */
export type ImportedComponent = { series: Series } | { override: Override };

/** A VEVENT that cannot be imported. The message is a sentence with the reason. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
}

/** The maximum distance between two times that can be written: years have four digits. */
const MOST_SECONDS = 10_000 * 366 * DAY_SECONDS;
/** Maximum number of zone transitions around the times of one meeting: no real zone has two within a week. */
const MOST_CHANGES = 10;
const TOO_LONG = 'It recurs and lasts longer than 366 days.';
const END_OF_ZONES = dayOf(2101, 1, 1) * DAY_SECONDS;

/** Converts a VEVENT whose attendees are known. Throws UnreadableEvent and InvalidRecurrence. */
export function importedComponent(event: EventComponent, attendees: Attendee[]): ImportedComponent {
  const time = timeOf(event);
  const { status, transparency } = statusOf(event.properties);
  const meeting = {
    ...time.meeting,
    status,
    transparency,
    attendees,
    version: versionOf(event),
  };
  const recurrenceId = find(event, 'RECURRENCE-ID');
  if (recurrenceId) return { override: overrideOf(event, recurrenceId, { ...meeting, zone: zoneRef(time) }) };
  const recurrence = recurrenceOf(event, time);
  const { rules, included, excluded, excludingRules, lines } = recurrence;
  const zone = zoneRef(time, recurrence);
  const series = { ...meeting, rules, included, excluded, lines, zone };
  return { series: excludingRules ? { ...series, excludingRules } : series };
}

interface ReadTime {
  /** Undefined for dates and floating times. */
  clock: ImportClock | undefined;
  meeting: MeetingTime & Pick<Meeting, 'allDay'>;
}

function timeOf(event: EventComponent): ReadTime {
  const property = find(event, 'DTSTART');
  if (!property) throw new UnreadableEvent('It has no DTSTART.');
  const start = momentOf(property);
  const clock = clockOf(event, property, start);
  const allDay = start.kind === 'date';
  const local = start.kind === 'date' ? start.day * DAY_SECONDS : start.seconds;
  return { clock, meeting: { allDay, start: local, ...lengthOf(event, start, local, clock) } };
}

/** RFC 5545, section 3.6.1: without an end, a date lasts one day and a time has zero length. */
function lengthOf(
  event: EventComponent,
  start: Moment,
  local: number,
  clock: ImportClock | undefined,
): Duration {
  const isDate = start.kind === 'date';
  const end = find(event, 'DTEND');
  if (end) return lengthUntil(event, end, isDate, local, clock);
  const duration = find(event, 'DURATION');
  const length = duration && readDuration(duration.value);
  if (duration && !length) throw new UnreadableEvent('Its DURATION is none.');
  if (length && longest(length) > MOST_SECONDS)
    throw new UnreadableEvent('It lasts longer than 10,000 years.');
  return length ?? { days: isDate ? 1 : 0, seconds: 0 };
}

function lengthUntil(
  event: EventComponent,
  property: Property,
  isDate: boolean,
  start: number,
  clock: ImportClock | undefined,
): Duration {
  const end = momentOf(property);
  if ((end.kind === 'date') !== isDate)
    throw new UnreadableEvent('Of its DTSTART and DTEND one is a date and the other a time.');
  if (end.kind === 'date') {
    const days = end.day - start / DAY_SECONDS;
    if (days < 0) throw new UnreadableEvent('It ends before it begins.');
    // Some programs write the same day as start and end of a single day.
    return { days: Math.max(1, days), seconds: 0 };
  }
  // Some programs omit the zone of the end: it is the zone of the start.
  const endClock = clockOf(event, property, end) ?? clock;
  const seconds = utcOf(end.seconds, endClock) - utcOf(start, clock);
  if (seconds < 0) throw new UnreadableEvent('It ends before it begins.');
  return { days: 0, seconds };
}

function overrideOf(event: EventComponent, property: Property, meeting: Meeting): Override {
  if (longest(meeting) > MOST_RECURRING_SECONDS) throw new UnreadableEvent(TOO_LONG);
  const of = momentOf(property);
  const clock = clockOf(event, property, of);
  const andFuture = parameterValues(property, 'RANGE').some((range) => /^THISANDFUTURE$/i.test(range));
  const isKnown = of.kind === 'local' && clock !== undefined;
  return { ...meeting, of: isKnown ? { kind: 'utc', seconds: utcOf(of.seconds, clock) } : of, andFuture };
}

function recurrenceOf(event: EventComponent, { clock, meeting }: ReadTime): Recurrence {
  const recurrence: Recurrence = { rules: [], included: [], excluded: [], lines: [] };
  const start = {
    ...meeting,
    zone: clock?.zone ?? FLOATING,
    steps: stepsOfEvent(),
    clockNamed: (name: string) => importClock(name, event.zones),
  };
  for (const property of event.properties) {
    if (/^(?:RRULE|RDATE|EXDATE|EXRULE)$/.test(property.name) && property.value.trim() !== '')
      addProperty(recurrence, property, start);
  }
  if (recurrence.rules.length + recurrence.included.length > 0 && longest(meeting) > MOST_RECURRING_SECONDS)
    throw new UnreadableEvent(TOO_LONG);
  return recurrence;
}

/** RFC 5545, section 3.8.7.4: the default SEQUENCE is 0. */
export function versionOf(event: EventComponent): Version {
  const [, digits = '0'] = /^\s*(\d{1,15})\s*$/.exec(find(event, 'SEQUENCE')?.value ?? '') ?? [];
  const stamp = readMoment(find(event, 'DTSTAMP')?.value ?? '');
  return { sequence: Number(digits), ...(stamp?.kind === 'utc' && { stamp: stamp.seconds }) };
}

function momentOf({ name, value }: Property): Moment {
  const moment = readMoment(value);
  if (!moment) throw new UnreadableEvent(`Its ${name} is no date and no time.`);
  return moment;
}

/** The clock of a property; undefined for a date and for a floating time. */
function clockOf(event: EventComponent, property: Property, { kind }: Moment): ImportClock | undefined {
  if (kind === 'utc') return utcClock();
  const [tzid] = parameterValues(property, 'TZID');
  if (kind === 'date' || tzid === undefined || tzid.trim() === '') return undefined;
  const clock = importClock(tzid, event.zones);
  if (!clock) throw new UnreadableEvent('Its time zone is neither known nor defined in the file.');
  return clock;
}

function utcOf(local: number, clock: ImportClock | undefined): number {
  return (clock?.zone ?? FLOATING).toUtc(local);
}

function zoneRef({ clock, meeting }: ReadTime, recurrence?: Recurrence): Meeting['zone'] {
  if (!clock) return null;
  const { rules = [], included = [] } = recurrence ?? {};
  if (rules.length + included.length === 0) return zoneOfOne(clock, meeting);
  const starts = [meeting, ...included].map(({ start }) => start);
  const lasts = [...starts, ...rules.map(({ last }) => last ?? END_OF_ZONES)];
  const last = lasts.reduce((most, one) => Math.max(most, one));
  return refBetween(
    clock,
    starts.reduce((least, one) => Math.min(least, one)),
    last + longest(meeting),
  );
}

/** The zone of a meeting that does not recur. */
function zoneOfOne(clock: ImportClock, meeting: MeetingTime): Exclude<Meeting['zone'], null> {
  const ref = refAt(clock, meeting.start, meeting.start + longest(meeting));
  if (typeof ref !== 'string' && ref.transitions.length > MOST_CHANGES)
    throw new UnreadableEvent('Its time zone sets the clock more often than any place does.');
  return ref;
}

function find({ properties }: EventComponent, name: string): Property | undefined {
  return properties.find((property) => property.name === name);
}
