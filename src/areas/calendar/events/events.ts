import { notFound } from '../../../contract/errors.ts';
import { picked } from '../../../contract/picked.ts';
import { requireParameter, requireValues } from '../../../contract/required-values.ts';
import { refuse } from '../../../contract/validation.ts';
import { newId } from '../../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import {
  type CalendarDependencies,
  type DirectoryFinders,
  findersFor,
  personOf,
  type ResourceFinder,
} from '../dependencies.ts';
import { Notification, type Telling } from '../notices/notification.ts';
import { type CalendarOwner, calendarLock } from '../owner.ts';
import { bookResources } from './bookings.ts';
import type { CalendarRow } from './calendar-store.ts';
import { getCalendarRow } from './calendars.ts';
import { type Attendee, type EventDefinition, type Meeting, mapMeetings, meetingsOf } from './definition.ts';
import { readEvent } from './event-fields.ts';
import { eventDetails, eventRecord, fieldsOf, shownAddresses } from './event-record.ts';
import {
  type CalendarEvent,
  EVENT_FIELDS,
  EventChanges,
  type EventDetails,
  type EventResponse,
  NewEvent,
  NewResponse,
  Notify,
} from './event-schema.ts';
import { type EventRow, findEvent } from './event-store.ts';
import { addressKey, isOneOf, type Person } from './holders.ts';
import { emitEvent } from './invited.ts';
import { isMoved, isRevised, withoutResponses } from './responses.ts';
import { definitionOf, removeEvent, resourcesOf, saveEvents } from './save-events.ts';
import { saveResponse } from './save-response.ts';

/** What a change of an event needs beside the change. */
interface Around {
  find: DirectoryFinders;
  /** Tells the attendees; undefined where nobody is told. */
  notification: Notification | undefined;
}

function around(
  dependencies: CalendarDependencies,
  owner: CalendarOwner,
  notify: Notify = 'none',
  telling: Telling = TELLING_NOBODY_OUTSIDE,
): Around {
  const notification = notify === 'all' ? new Notification(dependencies, owner, telling) : undefined;
  return { find: findersFor(dependencies, owner), notification };
}

/** Unless a request says more. */
const TELLING_NOBODY_OUTSIDE: Telling = { prepared: undefined, mayMail: [] };

/** Throws ApiError not_found for the calendar or a resource, validation_failed and resource_busy. */
export async function createEvent(
  tx: WriteTransaction,
  dependencies: CalendarDependencies,
  owner: CalendarOwner,
  calendarId: string,
  given: NewEvent,
  telling?: Telling,
): Promise<CalendarEvent> {
  const { find, notification } = around(dependencies, owner, given.notify, telling);
  requireValues(NewEvent, given);
  await tx.lock(calendarLock(owner));
  const calendar = await getCalendarRow(tx, owner, calendarId);
  const resources = await knownResources(tx, given.resources ?? [], find.resources);
  const definition = definitionFrom(given, calendar.time_zone);
  const after = newEventRow(calendar, definition, {
    resources,
    eventId: notification?.eventId,
    at: notification?.at,
  });
  await bookResources(tx, after);
  const notify = await notification?.ready(tx, { before: undefined, after });
  await saveEvents(tx, [{ before: undefined, after }]);
  await notify?.();
  return eventRecord(after, await emitEvent(tx, 'event.created', [after], find.users));
}

/**
 * Replaces the given fields; no effect if the event has them already and nobody is to be told. Throws ApiError not_found
 * for the event or a resource, validation_failed and resource_busy.
 */
export async function updateEvent(
  tx: WriteTransaction,
  dependencies: CalendarDependencies,
  owner: CalendarOwner,
  key: EventKey,
  changes: EventChanges,
  telling?: Telling,
): Promise<CalendarEvent> {
  const { find, notification } = around(dependencies, owner, changes.notify, telling);
  requireValues(EventChanges, changes);
  await tx.lock(calendarLock(owner));
  const before = await getEvent(tx, owner, key);
  const resources = changes.resources
    ? await knownResources(tx, changes.resources, find.resources)
    : resourcesOf(before);
  const definition = changedDefinition(before, changes);
  const version = versionAfter(before, definition);
  const after: EventRow = {
    ...before,
    definition: version.definition,
    sequence: version.sequence,
    resources: JSON.stringify(resources),
    updated_at: notification?.at ?? Date.now(),
  };
  if (!notification && isStoredAs(before, after))
    return eventRecord(before, await find.users(tx, shownAddresses(before)));
  await bookResources(tx, after);
  const notify = await notification?.ready(tx, { before, after });
  await saveEvents(tx, [{ before, after }]);
  await notify?.();
  return eventRecord(after, await emitEvent(tx, 'event.changed', [before, after], find.users));
}

function isStoredAs(before: EventRow, { definition, resources }: EventRow): boolean {
  return definition === before.definition && resources === before.resources;
}

/**
 * An event that has this definition now, under a higher SEQUENCE if attendees have to be told of it (RFC 5546). An event
 * that was imported counts on from the version of its file: that file is an earlier version from then on.
 */
function versionAfter(
  before: EventRow,
  definition: EventDefinition,
): Pick<EventRow, 'definition' | 'sequence'> {
  const former = definitionOf(before);
  if (!isRevised(former, definition))
    return { definition: JSON.stringify(definition), sequence: before.sequence };
  const isImported = meetingsOf(former)[0]?.version !== undefined;
  return {
    definition: JSON.stringify(mapMain(definition, withNextVersion)),
    sequence: before.sequence + (isImported ? 0 : 1),
  };
}

function withNextVersion<M extends Meeting>(meeting: M): M {
  const { version } = meeting;
  return version ? { ...meeting, version: { ...version, sequence: version.sequence + 1 } } : meeting;
}

/**
 * Deletes an event with all of its instances. Throws ApiError not_found, and where attendees are told as `createEvent`.
 */
export async function deleteEvent(
  tx: WriteTransaction,
  dependencies: CalendarDependencies,
  owner: CalendarOwner,
  key: EventKey,
  asked: Notify = 'none',
  telling?: Telling,
): Promise<void> {
  requireParameter(Notify, asked, 'notify');
  const { find, notification } = around(dependencies, owner, asked, telling);
  await tx.lock(calendarLock(owner));
  const row = await getEvent(tx, owner, key);
  const notify = await notification?.ready(tx, { before: row, after: undefined });
  await removeEvent(tx, row);
  await notify?.();
  await emitEvent(tx, 'event.deleted', [row], find.users);
}

/** An event with its attendees, for its owner. Throws ApiError not_found. */
export async function getEventDetails(
  tx: ReadTransaction,
  dependencies: CalendarDependencies,
  owner: CalendarOwner,
  key: EventKey,
): Promise<EventDetails> {
  const row = await getEvent(tx, owner, key);
  return eventDetails(row, await findersFor(dependencies, owner).users(tx, shownAddresses(row)));
}

/** Stores the response of a listed attendee. Throws ApiError not_found for any other person. */
export async function respond(
  tx: WriteTransaction,
  dependencies: CalendarDependencies,
  caller: CalendarOwner,
  { id: eventId, response }: EventResponse,
): Promise<EventResponse> {
  const { workspaceId } = caller;
  const person = await personOf(tx, dependencies, caller);
  requireValues(NewResponse, { response });
  const found = await findEvent(tx, { workspaceId }, eventId);
  if (!found) throw notFound('event', eventId);
  await tx.lock(calendarLock({ workspaceId, userId: found.user_id }));
  const before = await findEvent(tx, { workspaceId }, eventId);
  const definition = before && definitionOf(before);
  const isListed = definition && meetingsOf(definition).some((meeting) => isAttendee(meeting, person));
  if (!before || !isListed) throw notFound('event', eventId);
  const isOf = (one: Attendee) => isOneOf(one, person.addresses);
  const repliedAt = Math.floor(Date.now() / 1000);
  await saveResponse(tx, before, { isOf, response, repliedAt }, findersFor(dependencies, caller).users);
  return { id: eventId, response };
}

/** Identifies an event within a calendar. */
export interface EventKey {
  calendarId: string;
  eventId: string;
}

export function newEventRow(
  calendar: CalendarRow,
  definition: EventDefinition,
  given: {
    uid?: string;
    resources?: readonly string[];
    eventId?: string | undefined;
    at?: number | undefined;
  },
): EventRow {
  const { uid, resources = [], eventId: id = newId('evt'), at: now = Date.now() } = given;
  return {
    workspace_id: calendar.workspace_id,
    user_id: calendar.user_id,
    id,
    calendar_id: calendar.id,
    uid: uid ?? id,
    time_zone: calendar.time_zone,
    definition: JSON.stringify(definition),
    resources: JSON.stringify(resources),
    sequence: 0,
    created_at: now,
    updated_at: now,
  };
}

async function getEvent(
  tx: ReadTransaction,
  owner: CalendarOwner,
  { calendarId, eventId }: EventKey,
): Promise<EventRow> {
  const row = await findEvent(tx, owner, eventId);
  if (row?.user_id !== owner.userId || row.calendar_id !== calendarId) throw notFound('event', eventId);
  return row;
}

async function knownResources(
  tx: ReadTransaction,
  ids: readonly string[],
  findResources: ResourceFinder,
): Promise<string[]> {
  const asked = [...new Set(ids)];
  const known = asked.length > 0 ? await findResources(tx, asked) : new Set<string>();
  const unknown = asked.find((id) => !known.has(id));
  if (unknown !== undefined) throw notFound('resource', unknown);
  return asked;
}

function definitionFrom(fields: NewEvent, calendarZone: string): EventDefinition {
  const { series, problems } = readEvent(fields, calendarZone);
  refuse(problems);
  if (!series) throw new TypeError('an event without problems and without a time');
  return { series, overrides: [] };
}

const TIMES = ['starts_at', 'ends_at', 'time_zone', 'all_day', 'recurrence'] as const;

function changedDefinition(before: EventRow, changes: EventChanges): EventDefinition {
  const former = definitionOf(before);
  const isRetimed = TIMES.some((field) => changes[field] !== undefined);
  const retimed = isRetimed ? retimedDefinition(before, changes) : former;
  const { status, transparency } = changes;
  const marked = mapMain(retimed, (meeting) => ({
    ...meeting,
    ...(status && { status }),
    ...(transparency && { transparency }),
  }));
  const known = meetingsOf(retimed).flatMap(({ attendees }) => attendees);
  const listed = changes.attendees && attendeesAmong(changes.attendees, known);
  return listed ? mapMeetings(marked, (meeting) => ({ ...meeting, attendees: listed })) : marked;
}

function retimedDefinition(before: EventRow, changes: EventChanges): EventDefinition {
  const former = definitionOf(before);
  const [first] = meetingsOf(former);
  const definition = definitionFrom(
    { ...fieldsOf(before), ...picked(changes, EVENT_FIELDS) },
    before.time_zone,
  );
  const retimed = mapMeetings(definition, (meeting) => ({
    ...meeting,
    attendees: first?.attendees ?? [],
    ...(first?.version && { version: first.version }),
  }));
  // Resets responses also if there were overrides, because these instances move back to the times of the series.
  const isSame = former.overrides.length === 0 && retimed.series && first && !isMoved(first, retimed.series);
  return isSame ? retimed : mapMeetings(retimed, withoutResponses);
}

/** The attendees with these addresses, without duplicates. Attendees who have responded keep their responses. */
function attendeesAmong(addresses: readonly string[], known: readonly Attendee[]): Attendee[] {
  const answers = new Map(known.map(({ email, ...answer }) => [addressKey(email), answer]));
  const listed = new Map<string, Attendee>();
  for (const email of addresses) {
    const address = addressKey(email);
    const answer = answers.get(address) ?? { response: 'needs_action' };
    if (!listed.has(address)) listed.set(address, { email, ...answer });
  }
  return [...listed.values()];
}

function isAttendee({ attendees }: Meeting, { addresses }: Person): boolean {
  return attendees.some((attendee) => isOneOf(attendee, addresses));
}

/** Changes the series; without a series, each of its overrides. */
function mapMain(definition: EventDefinition, change: <M extends Meeting>(meeting: M) => M): EventDefinition {
  const { series, overrides } = definition;
  return series ? { series: change(series), overrides } : mapMeetings(definition, change);
}
