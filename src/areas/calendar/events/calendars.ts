import { notFound } from '../../../contract/errors.ts';
import type { Problem } from '../../../contract/operation.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { newId } from '../../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { inPortions } from '../../../storage/query/long-rows.ts';
import { spelledTimeZone, timeZoneNamed } from '../../../text/time-zone.ts';
import { gatherInTurns } from '../../../turns/in-turns.ts';
import { type CalendarDependencies, findersFor, timeZoneOf } from '../dependencies.ts';
import { type CalendarOwner, calendarLock } from '../owner.ts';
import { lockResources, refuseClashes } from './bookings.ts';
import type { CalendarRow } from './calendar-store.ts';
import * as store from './calendar-store.ts';
import { mapMeetings, meetingsOf } from './definition.ts';
import { type Calendar, CalendarChanges, NewCalendar } from './event-schema.ts';
import { type EventRow, eachEvent, listResources, setTimeZone } from './event-store.ts';
import { EventBatch, type UserFinder } from './invited.ts';
import { withoutResponses } from './responses.ts';
import { definitionOf, EVENTS_AT_ONCE, resourcesOf, saveEvents } from './save-events.ts';

/**
 * Moves the dates and floating times of a calendar's events, whose resources are locked, to its new zone. Throws ApiError resource_busy, and
 * validation_failed if checking their resources takes too long.
 */
async function moveToZone(tx: WriteTransaction, calendar: CalendarRow, findUsers: UserFinder): Promise<void> {
  const moved = new EventBatch('event.changed', findUsers);
  let takesResources = false;
  const lengthOf = ({ definition }: EventRow) => 2 * definition.length;
  for await (const before of inPortions(followers(tx, calendar), lengthOf, EVENTS_AT_ONCE)) {
    const changes = before.map((row) => ({ before: row, after: movedToZone(row, calendar) }));
    takesResources ||= before.some((row) => resourcesOf(row).length > 0);
    await saveEvents(tx, changes);
    await moved.add(tx, changes);
  }
  moved.emit(tx, calendar);
  await setTimeZone(tx, calendar, calendar.time_zone);
  // Checked last: until all events have movedToZone, one would conflict with the old time of another.
  if (takesResources) await refuseClashes(tx, followers(tx, calendar));
}

/** The events of a calendar that use its clock. */
async function* followers(tx: WriteTransaction, calendar: CalendarRow): AsyncGenerator<EventRow> {
  for await (const row of eachEvent(tx, calendar)) if (isFollower(row)) yield row;
}

function isFollower(row: EventRow): boolean {
  return meetingsOf(definitionOf(row)).some(({ zone }) => zone === null);
}

/** A floating time becomes another time, so its responses are reset; a date stays the same date. */
function movedToZone(row: EventRow, { time_zone }: CalendarRow): EventRow {
  const definition = mapMeetings(definitionOf(row), (meeting) =>
    meeting.zone === null && !meeting.allDay ? withoutResponses(meeting) : meeting,
  );
  return { ...row, definition: JSON.stringify(definition), time_zone, updated_at: Date.now() };
}

/** "Each user starts with one." */
const FIRST_CALENDAR = 'Calendar';
const USUAL_COLOR = '#3366cc';

/** In order of creation. */
export function listCalendars(tx: ReadTransaction, owner: CalendarOwner): Promise<Calendar[]> {
  return gatherInTurns(store.listCalendars(tx, owner), calendarRecord);
}

/** Creates the first calendar of a new user. */
export async function createFirstCalendar(
  tx: WriteTransaction,
  dependencies: CalendarDependencies,
  owner: CalendarOwner,
): Promise<void> {
  await createCalendar(tx, dependencies, owner, { name: FIRST_CALENDAR });
}

/** A calendar without a zone gets that of the user. */
export async function createCalendar(
  tx: WriteTransaction,
  dependencies: CalendarDependencies,
  owner: CalendarOwner,
  given: NewCalendar,
): Promise<Calendar> {
  const timeZone = await timeZoneOf(tx, dependencies, owner);
  requireValues(NewCalendar, given);
  const now = Date.now();
  const row: store.CalendarRow = {
    workspace_id: owner.workspaceId,
    user_id: owner.userId,
    id: newId('cal'),
    name: given.name,
    color: given.color ?? USUAL_COLOR,
    time_zone: spelledTimeZone(given.time_zone ?? timeZone),
    created_at: now,
    updated_at: now,
  };
  await store.insertCalendar(tx, row);
  emitCalendar(tx, 'calendar.created', row);
  return calendarRecord(row);
}

/**
 * Changes a calendar; no effect if it is so already. The dates and floating times of its events follow its zone. Throws
 * ApiError not_found and resource_busy.
 */
export async function updateCalendar(
  tx: WriteTransaction,
  dependencies: CalendarDependencies,
  owner: CalendarOwner,
  id: string,
  changes: CalendarChanges,
): Promise<Calendar> {
  requireValues(CalendarChanges, changes);
  await tx.lock(calendarLock(owner));
  const before = await getCalendarRow(tx, owner, id);
  const { name = before.name, color = before.color, time_zone: timeZone = before.time_zone } = changes;
  const after = { ...before, name, color, time_zone: spelledTimeZone(timeZone), updated_at: Date.now() };
  const isMoved = after.time_zone !== before.time_zone;
  if (!isMoved && name === before.name && color === before.color) return calendarRecord(before);
  if (isMoved) await lockResources(tx, before.workspace_id, await listResources(tx, before));
  await store.updateCalendar(tx, after);
  emitCalendar(tx, 'calendar.changed', after);
  if (isMoved) await moveToZone(tx, after, findersFor(dependencies, owner).users);
  return calendarRecord(after);
}

function emitCalendar(
  tx: WriteTransaction,
  type: 'calendar.created' | 'calendar.changed',
  { workspace_id: workspaceId, user_id, id }: CalendarRow,
): void {
  tx.emit({ workspaceId, type, viewers: [user_id], ids: { calendar_id: id } });
}

/** A calendar of this user. Throws ApiError not_found. */
export async function getCalendarRow(
  tx: ReadTransaction,
  owner: CalendarOwner,
  id: string,
): Promise<store.CalendarRow> {
  const row = await store.findCalendar(tx, owner, id);
  if (!row) throw notFound('calendar', id);
  return row;
}

/** Rules for the fields of a calendar that its schema cannot express. */
export function calendarProblems({ time_zone: timeZone }: CalendarChanges): Problem[] {
  if (timeZone === undefined || timeZoneNamed(timeZone) !== undefined) return [];
  const message = 'Give the name of an IANA time zone, such as "Europe/Berlin".';
  return [{ pointer: '/time_zone', code: 'not_allowed', message }];
}

function calendarRecord(row: store.CalendarRow): Calendar {
  return {
    id: row.id,
    name: row.name,
    color: row.color,
    time_zone: row.time_zone,
    owner_id: row.user_id,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
