import { notFound } from '../../../contract/errors.ts';
import type { Problem } from '../../../contract/operation.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { newId } from '../../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { spelledTimeZone, timeZoneNamed } from '../../../text/time-zone.ts';
import { gatheredInTurns } from '../../../turns/gathered-in-turns.ts';
import { type CalendarOwner, calendarLock } from '../owner.ts';
import { moveToZone } from '../recurrence/zone-changes.ts';
import { type Calendar, CalendarChanges, NewCalendar } from './calendar-schema.ts';
import * as store from './calendar-store.ts';

/** "Each user starts with one." */
const FIRST_CALENDAR = 'Calendar';
const USUAL_COLOR = '#3366cc';

/** In order of creation. */
export function listCalendars(tx: ReadTransaction, owner: CalendarOwner): Promise<Calendar[]> {
  return gatheredInTurns(store.listCalendars(tx, owner), calendarRecord);
}

/** Makes the calendar that a new user starts with. */
export async function createFirstCalendar(
  tx: WriteTransaction,
  owner: CalendarOwner,
  timeZone: string,
): Promise<void> {
  await createCalendar(tx, owner, { name: FIRST_CALENDAR }, timeZone);
}

/** `timeZone`: that of the user, for a calendar that is given none. */
export async function createCalendar(
  tx: WriteTransaction,
  owner: CalendarOwner,
  given: NewCalendar,
  timeZone: string,
): Promise<Calendar> {
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
  return calendarRecord(row);
}

/** Dates and floating times of its events follow the zone. Throws ApiError not_found and resource_busy. */
export async function updateCalendar(
  tx: WriteTransaction,
  owner: CalendarOwner,
  id: string,
  changes: CalendarChanges,
): Promise<Calendar> {
  requireValues(CalendarChanges, changes);
  await tx.lock(calendarLock(owner));
  const before = await getCalendarRow(tx, owner, id);
  const { name = before.name, color = before.color, time_zone: timeZone = before.time_zone } = changes;
  const after = { ...before, name, color, time_zone: spelledTimeZone(timeZone), updated_at: Date.now() };
  await store.updateCalendar(tx, after);
  if (after.time_zone !== before.time_zone) await moveToZone(tx, after);
  return calendarRecord(after);
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

/** What the schema cannot say of the fields of a calendar. */
export function calendarProblems({ time_zone: timeZone }: CalendarChanges): Problem[] {
  if (timeZone === undefined || timeZoneNamed(timeZone) !== undefined) return [];
  const message = 'Must be the name of an IANA time zone.';
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
