import { ApiError, notFound } from '../../../contract/errors.ts';
import type { Problem } from '../../../contract/operation.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { workingHoursProblems } from '../../../contract/working-hours.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { spelledTimeZone, timeZoneNamed } from '../../../text/time-zone.ts';
import type { CalendarDependencies } from '../dependencies.ts';
import { shownTime } from '../events/event-record.ts';
import { type EventRow, findEvent } from '../events/event-store.ts';
import type { CalendarOwner } from '../owner.ts';
import type { Interval } from '../recurrence/intervals.ts';
import { type FoundTimes, MAX_RESULTS, TimeQuestion } from './availability-schema.ts';
import { tooManyProblems } from './free-busy.ts';
import { findSlots, type Participant, type Slot, type SlotQuestion } from './free-slots.ts';
import {
  type Availability,
  type AvailabilityDependencies,
  availability,
  distinctAddresses,
  type KnownPerson,
} from './participants.ts';
import { windowOf, windowProblems, windowTooLarge } from './window-work.ts';
import { WorkingTimes, workingTime } from './working-time.ts';

const MINUTE_MS = 60_000;

/**
 * The times at which all required participants can meet, read outside of any transaction. The same question always leads to
 * the same result. Rejects with ApiError not_found for a resource, validation_failed if it takes too long, and with
 * TooManyWaiting.
 */
export function findTime(
  { directory, cache, questions }: CalendarDependencies,
  caller: CalendarOwner,
  question: TimeQuestion,
): Promise<FoundTimes> {
  return questions.answer({
    read: (tx, work) => findBusy(tx, { directory, cache, work }, caller, question),
    answer: (found) => slotsOf(question, found),
    problem: windowTooLarge({ pointer: '/end' }),
  });
}

/** The busy times of all participants of a question. */
async function findBusy(
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
    { withHours: question.working_hours === 'each', ignored: await ignoredEvent(tx, caller, question) },
  );
  if (question.strict) refuseUnknown(found.unknownAttendees);
  const [unknown] = found.unknownResources;
  if (unknown !== undefined) throw notFound('resource', unknown);
  return found;
}

/** An event that the caller may move. Throws ApiError not_found for any other. */
async function ignoredEvent(
  tx: ReadTransaction,
  caller: CalendarOwner,
  { ignore_event_id: id }: TimeQuestion,
): Promise<EventRow | undefined> {
  if (id === undefined) return undefined;
  const row = await findEvent(tx, caller, id);
  if (row?.user_id !== caller.userId) throw notFound('event', id);
  return row;
}

function refuseUnknown(addresses: readonly string[]): void {
  const [first] = addresses;
  if (first === undefined) return;
  const message = `Nobody in the workspace has the address ${addresses.join(', ')}. Leave it out, or ask without strict.`;
  throw new ApiError('not_found', message, {
    resource: 'attendee',
    id: first,
    unknown_attendees: [...addresses],
  });
}

async function slotsOf(question: TimeQuestion, found: Availability): Promise<FoundTimes> {
  const { attendees = [], optional_attendees: optional = [], resources = [] } = question;
  const { any_of_resources: anyOfResources = [] } = question;
  const window = windowOf(question);
  const asked = distinctAddresses(attendees);
  const required = among(found.attendees, asked.keys());
  const optionalOnly = among(
    found.attendees,
    // An attendee who is both required and optional is required.
    distinctAddresses(optional)
      .keys()
      .filter((address) => !asked.has(address)),
  );
  const { slots, emptyReason } = await findSlots({
    window,
    duration: (question.duration_minutes ?? 30) * MINUTE_MS,
    step: (question.interval_minutes ?? 15) * MINUTE_MS,
    buffer: bufferOf(question),
    required,
    ...(await withWorkingTime(question, window, { required, optional: optionalOnly })),
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
    const message = 'Give the name of an IANA time zone, such as "Europe/Berlin".';
    problems.push({ pointer: '/time_zone', code: 'not_allowed', message });
  }
  if (Array.isArray(hours)) problems.push(...workingHoursProblems(hours));
  return problems;
}

function among<P extends Participant>(known: ReadonlyMap<string, P>, names: Iterable<string>): P[] {
  return [...names].flatMap((name) => known.get(name) ?? []);
}

/**
 * The time at which the meeting may be, and who is optional with the time at which they do not work. Undefined working
 * time for any.
 */
async function withWorkingTime(
  { working_hours: hours, time_zone: timeZone = 'UTC' }: TimeQuestion,
  window: Interval,
  { required, optional }: { required: readonly KnownPerson[]; optional: readonly KnownPerson[] },
): Promise<Pick<SlotQuestion, 'workingTime' | 'optional'>> {
  if (hours === undefined) return { workingTime: undefined, optional };
  if (hours !== 'each') {
    const periods = { timeZone: spelledTimeZone(timeZone), periods: hours };
    return { workingTime: workingTime(periods, window), optional };
  }
  const times = new WorkingTimes(window);
  const shared = await times.shared(required.flatMap((person) => person.hours ?? []));
  const able: Participant[] = [];
  for (const { name, busy, hours: own } of optional)
    able.push(own ? { name, busy, away: await times.outside(own) } : { name, busy });
  return { workingTime: shared, optional: able };
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
