import type { Problem } from '../../../contract/operation.ts';
import { picked } from '../../../contract/picked.ts';
import { readProperty } from '../../../formats/content-lines.ts';
import type { Moment } from '../../../formats/icalendar/values.ts';
import { DAY_SECONDS, dayOf } from '../../../formats/recurrence/civil.ts';
import { ianaZone, type Zone } from '../../../formats/recurrence/zone.ts';
import { timeZoneNamed } from '../../../text/time-zone.ts';
import { longest } from '../availability/meeting-times.ts';
import { numberOf } from '../recurrence/occurrences.ts';
import {
  addProperty,
  type Clock,
  InvalidRecurrence,
  type Recurrence,
  stepsOfEvent,
} from '../recurrence/recurrence-lines.ts';
import type { Attendee, MeetingTime, Series, ZoneRef } from './definition.ts';
import { momentOf } from './event-record.ts';
import { EVENT_FIELDS, type EventChanges, type NewEvent } from './event-schema.ts';
import { addressKey } from './holders.ts';

/** Instances of longer recurring meetings would all run at the same time. */
const MOST_RECURRING_SECONDS = 366 * DAY_SECONDS;
const YEAR_1 = dayOf(1, 1, 1) * DAY_SECONDS;
const YEAR_10000 = dayOf(10_000, 1, 1) * DAY_SECONDS;

/** Rules for the fields of a request that its schema cannot express, as far as the given fields determine them. */
export function eventProblems(fields: Partial<EventChanges>): Problem[] {
  const { starts_at, ends_at } = fields;
  if (starts_at === undefined || ends_at === undefined) return partialProblems(fields);
  return readEvent({ ...picked(fields, EVENT_FIELDS), starts_at, ends_at }, 'UTC').problems;
}

/** The same for a change. If `all_day` is absent, the event itself determines it. */
export function changeProblems(changes: Partial<EventChanges>): Problem[] {
  const start = changes.starts_at === undefined ? undefined : momentOf(changes.starts_at);
  const fields = picked(changes, EVENT_FIELDS);
  return eventProblems(start?.kind === 'date' ? { ...fields, all_day: fields.all_day ?? true } : fields);
}

/** If a time is missing, the other fields are checked together with valid sample times. */
function partialProblems(others: Partial<EventChanges>): Problem[] {
  const { starts_at, ends_at } = others;
  const times = Object.entries({ starts_at, ends_at }).flatMap(([name, text]) =>
    text === undefined || momentOf(text) ? [] : [problem(`/${name}`, NO_TIME)],
  );
  const hour = others.all_day ? '' : 'T00:00:00Z';
  const { recurrence = [], all_day: allDay = false } = others;
  // Whether a rule fits a date or a time can only be checked if `all_day` is given.
  const lines =
    others.all_day === undefined ? recurrence.filter((line) => !/^(?:RRULE|EXRULE)/i.test(line)) : recurrence;
  const fields = {
    ...picked(others, EVENT_FIELDS),
    all_day: allDay,
    recurrence: lines,
    starts_at: `2000-01-01${hour}`,
    ends_at: `2000-01-02${hour}`,
  };
  return [...times, ...readEvent(fields, 'UTC').problems];
}

const NO_TIME = 'Give a date or a time that exists.';

/** Builds the series from the fields of a whole event, in a calendar with this zone, and collects all problems. */
export function readEvent(
  fields: NewEvent,
  calendarZone: string,
): { series: Series | undefined; problems: Problem[] } {
  const problems: Problem[] = [];
  const named = fields.time_zone === undefined ? undefined : timeZoneNamed(fields.time_zone);
  if (fields.time_zone !== undefined && named === undefined)
    problems.push(
      problem('/time_zone', 'Give the name of an IANA time zone, such as "Europe/Berlin".', 'not_allowed'),
    );
  const time = timeOf(fields, named, calendarZone, problems);
  if (!time) return { series: undefined, problems };
  const recurrence = recurrenceOf(fields.recurrence ?? [], time, calendarZone, problems);
  const isSeries = recurrence.rules.length + recurrence.included.length > 0;
  if (isSeries && longest(time) > MOST_RECURRING_SECONDS)
    problems.push(problem('/ends_at', 'An event that recurs lasts at most 366 days.', 'not_allowed'));
  return {
    series: {
      ...time,
      status: fields.status ?? 'confirmed',
      transparency: fields.transparency ?? 'busy',
      attendees: attendeesOf(fields.attendees ?? []),
      rules: recurrence.rules,
      included: recurrence.included,
      excluded: recurrence.excluded,
      ...(recurrence.excludingRules && { excludingRules: recurrence.excludingRules }),
      lines: recurrence.lines,
    },
    problems,
  };
}

type ReadTime = MeetingTime & { zone: ZoneRef; allDay: boolean };

function timeOf(
  fields: NewEvent,
  named: string | undefined,
  calendarZone: string,
  problems: Problem[],
): ReadTime | undefined {
  const start = readTime('/starts_at', fields.starts_at, fields.all_day ?? false, problems);
  const end = readTime('/ends_at', fields.ends_at, fields.all_day ?? false, problems);
  if (!start) return undefined;
  const after = endAfter(start, end, problems);
  if (start.kind === 'date')
    return {
      zone: null,
      allDay: true,
      start: start.day * DAY_SECONDS,
      days: after - start.day,
      seconds: 0,
    };
  const zone = named ?? (start.kind === 'utc' ? calendarZone : null);
  return {
    zone,
    allDay: false,
    ...clockTime(start.seconds, after, start.kind, ianaZone(zone ?? calendarZone)),
  };
}

/** The day, or the second, of the end. For an invalid end, a day after the start, to check the remaining fields. */
function endAfter(start: Moment, end: Moment | undefined, problems: Problem[]): number {
  if (end && start.kind !== end.kind) {
    problems.push(
      problem('/ends_at', 'Give it as starts_at is given: both with an offset, or both without.'),
    );
  } else if (end && numberOf(end) <= numberOf(start)) {
    problems.push(problem('/ends_at', 'Give an end after starts_at.', 'not_allowed'));
  } else if (end) {
    return numberOf(end);
  }
  return numberOf(start) + (start.kind === 'date' ? 1 : DAY_SECONDS);
}

function clockTime(start: number, end: number, kind: 'local' | 'utc', zone: Zone): MeetingTime {
  if (kind === 'utc') {
    const local = zone.toLocal(start);
    const isLater = zone.toUtc(local) !== start;
    return { start: local, days: 0, seconds: end - start, ...(isLater && { exact: start }) };
  }
  const exact = zone.toUtc(end) - zone.toUtc(start);
  // Across a clock change, an end with a later local time may be an earlier UTC time.
  return { start, days: 0, seconds: exact > 0 ? exact : end - start };
}

function readTime(pointer: string, text: string, allDay: boolean, problems: Problem[]): Moment | undefined {
  const moment = momentOf(text);
  if (!moment) problems.push(problem(pointer, NO_TIME));
  else if (allDay && moment.kind !== 'date')
    problems.push(problem(pointer, 'Give a date, such as 2026-03-01, where all_day is true.'));
  else if (!allDay && moment.kind === 'date')
    problems.push(problem(pointer, 'Give a time as well; a date alone is for all_day: true.'));
  else if (moment.kind === 'utc' && (moment.seconds < YEAR_1 || moment.seconds >= YEAR_10000))
    problems.push(problem(pointer, 'Give a time within the years 1 to 9999.', 'not_allowed'));
  else return moment;
  return undefined;
}

function recurrenceOf(
  lines: readonly string[],
  time: ReadTime,
  calendarZone: string,
  problems: Problem[],
): Recurrence {
  const recurrence: Recurrence = { rules: [], included: [], excluded: [], lines: [] };
  const start = {
    ...time,
    zone: ianaZone(time.zone === null ? calendarZone : String(time.zone)),
    steps: stepsOfEvent(),
    clockNamed,
  };
  for (const [index, line] of lines.entries()) {
    try {
      const property = readProperty(line);
      if (!property) throw new InvalidRecurrence('It is no line such as RRULE:FREQ=DAILY');
      refuseParameters(property.parameters.map(({ name }) => name));
      addProperty(recurrence, property, start);
    } catch (error) {
      if (!(error instanceof InvalidRecurrence)) throw error;
      problems.push(problem(`/recurrence/${index}`, `${error.message}.`));
    }
  }
  return recurrence;
}

function refuseParameters(names: readonly string[]): void {
  const unknown = names.find((name) => name !== 'TZID' && name !== 'VALUE');
  if (unknown !== undefined)
    throw new InvalidRecurrence('Of parameters, only VALUE and TZID mean something here');
}

function clockNamed(name: string): Clock | undefined {
  const known = timeZoneNamed(name);
  return known === undefined ? undefined : { zone: ianaZone(known), name: known };
}

function attendeesOf(addresses: readonly string[]): Attendee[] {
  const distinct = new Map<string, string>();
  for (const email of addresses) if (!distinct.has(addressKey(email))) distinct.set(addressKey(email), email);
  return [...distinct.values()].map((email) => ({ email, response: 'needs_action' }));
}

function problem(pointer: string, message: string, code = 'wrong_format'): Problem {
  return { pointer, code, message };
}
