import { notFound } from '../../../contract/errors.ts';
import type { Problem } from '../../../contract/operation.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { DAY_SECONDS, weekdayOf } from '../../../formats/recurrence/civil.ts';
import { ianaZone, type Zone } from '../../../formats/recurrence/zone.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { spelledTimeZone, timeZoneNamed } from '../../../text/time-zone.ts';
import { shownTime } from '../events/event-record.ts';
import type { CalendarOwner } from '../owner.ts';
import { clipIntervals, type Interval, mergeIntervals } from '../recurrence/intervals.ts';
import { type FoundTimes, MAX_RESULTS, TimeQuestion } from './availability-schema.ts';
import { tooManyProblems } from './free-busy.ts';
import { findSlots, type Participant, type Slot } from './free-slots.ts';
import {
  type Availability,
  type AvailabilityDependencies,
  availability,
  distinctAddresses,
} from './participants.ts';
import { windowOf, windowProblems } from './window-work.ts';

/** Working hours on some days of the week, in local time. */
interface WorkingHours {
  /** 1 for Monday to 7 for Sunday. */
  days: readonly number[];
  /** Minutes since midnight. */
  start: number;
  end: number;
}

/** The working time within a window (milliseconds since the epoch), for hours in a zone. */
function workingTime(hours: readonly WorkingHours[], zone: Zone, window: Interval): Interval[] {
  const first = dayAt(zone, window.start) - 1;
  const last = dayAt(zone, window.end) + 1;
  const periods: Interval[] = [];
  for (let day = first; day <= last; day++) {
    for (const { days, start, end } of hours) {
      if (days.includes(weekdayOf(day) + 1))
        periods.push({ start: at(zone, day, start), end: at(zone, day, end) });
    }
  }
  return clipIntervals(mergeIntervals(periods), window);
}

function dayAt(zone: Zone, time: number): number {
  return Math.floor(zone.toLocal(Math.floor(time / 1000)) / DAY_SECONDS);
}

function at(zone: Zone, day: number, minutes: number): number {
  return zone.toUtc(day * DAY_SECONDS + minutes * 60) * 1000;
}

const MINUTE_MS = 60_000;

/**
 * The busy times of all participants of a question. Rejects with ApiError not_found for a resource, and if it takes too
 * much work.
 */
export async function findBusy(
  tx: ReadTransaction,
  dependencies: AvailabilityDependencies,
  caller: CalendarOwner,
  question: TimeQuestion,
): Promise<Availability> {
  requireValues(TimeQuestion, question);
  const { attendees = [], optional_attendees: optional = [], resources = [] } = question;
  const { any_of_resources: anyOfResources = [] } = question;
  const window = windowOf(question);
  const buffer = bufferOf(question);
  const found = await availability(
    tx,
    dependencies,
    caller,
    { attendees: [...attendees, ...optional], resources: [...resources, ...anyOfResources] },
    // "A buffer looks at meetings outside the window too."
    { start: window.start - buffer, end: window.end + buffer },
  );
  const [unknown] = found.unknownResources;
  if (unknown !== undefined) throw notFound('resource', unknown);
  return found;
}

/** The times at which all required participants can meet. The same question always leads to the same result. */
export async function findTime(question: TimeQuestion, found: Availability): Promise<FoundTimes> {
  const { attendees = [], optional_attendees: optional = [], resources = [] } = question;
  const { any_of_resources: anyOfResources = [] } = question;
  const window = windowOf(question);
  const required = distinctAddresses(attendees);
  const { slots, emptyReason } = await findSlots({
    window,
    duration: (question.duration_minutes ?? 30) * MINUTE_MS,
    step: (question.interval_minutes ?? 15) * MINUTE_MS,
    buffer: bufferOf(question),
    workingTime: workingTimeOf(question, window),
    required: among(found.attendees, required.keys()),
    // An attendee who is both required and optional is required.
    optional: among(
      found.attendees,
      distinctAddresses(optional)
        .keys()
        .filter((address) => !required.has(address)),
    ),
    resources: among(found.resources, new Set(resources)),
    anyOfResources: among(found.resources, new Set(anyOfResources)),
    maxResults: Math.min(question.max_results ?? 10, MAX_RESULTS),
  });
  return {
    slots: slots.map(slotRecord),
    unknown_attendees: found.unknownAttendees,
    empty_reason: emptyReason,
  };
}

function bufferOf(question: TimeQuestion): number {
  return (question.buffer_minutes ?? 0) * MINUTE_MS;
}

/** Rules for a question that its schema cannot express. */
export function timeProblems(question: Partial<TimeQuestion>): Problem[] {
  const { attendees = [], optional_attendees: optional = [], resources = [] } = question;
  const { any_of_resources: anyOfResources = [], time_zone: timeZone, working_hours: hours = [] } = question;
  const asked = attendees.length + optional.length + resources.length + anyOfResources.length;
  const problems = [
    ...tooManyProblems(asked),
    ...windowProblems(question, (name) => ({ pointer: `/${name}` })),
  ];
  if (timeZone !== undefined && timeZoneNamed(timeZone) === undefined) {
    const message = 'Must be the name of an IANA time zone.';
    problems.push({ pointer: '/time_zone', code: 'not_allowed', message });
  }
  for (const [index, { start, end }] of hours.entries()) {
    if (minutesOf(end) > minutesOf(start)) continue;
    problems.push({
      pointer: `/working_hours/${index}/end`,
      code: 'not_allowed',
      message: 'Must be after start.',
    });
  }
  return problems;
}

function among(known: ReadonlyMap<string, Participant>, names: Iterable<string>): Participant[] {
  return [...names].flatMap((name) => known.get(name) ?? []);
}

function workingTimeOf(
  { working_hours: hours, time_zone: timeZone = 'UTC' }: TimeQuestion,
  window: Interval,
) {
  if (!hours) return undefined;
  const read = hours.map(({ days, start, end }) => ({ days, start: minutesOf(start), end: minutesOf(end) }));
  return workingTime(read, ianaZone(spelledTimeZone(timeZone)), window);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function slotRecord({ start, end, available, unavailable, resource }: Slot) {
  return {
    starts_at: shownTime(start),
    ends_at: shownTime(end),
    available,
    unavailable,
    ...(resource !== undefined && { resource_id: resource }),
  };
}
