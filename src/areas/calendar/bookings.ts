import { ApiError } from '../../api/errors.ts';
import { DAY_SECONDS } from '../../formats/recurrence/civil.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { type EventDefinition, isBlocking, meetingsOf } from './definition.ts';
import type { EventRow } from './event-store.ts';
import { type Interval, merged, overlaps } from './intervals.ts';
import { intervalOf } from './meeting-times.ts';
import { occurrences } from './occurrences.ts';
import { definitionOf, resourcesOf } from './saving.ts';
import { type HeldEvent, listHeldEvents } from './span-store.ts';

/** How far ahead of its start every instance of a series finds its resources free. */
const BOOKED_MS = 2 * 366 * DAY_SECONDS * 1000;

/**
 * Sees that the resources of an event are free whenever it takes them, and keeps others from taking them until this
 * transaction ends. Throws ApiError resource_busy.
 */
export async function bookResources(tx: WriteTransaction, row: EventRow): Promise<void> {
  await lockResources(tx, [row]);
  await refuseClashes(tx, row);
}

/** Keeps others from taking what these events take until this transaction ends. */
export async function lockResources(tx: WriteTransaction, rows: readonly EventRow[]): Promise<void> {
  const taken = new Set(rows.filter(takesResources).flatMap(resourcesOf));
  // In one order, so that two who want the same resources wait for each other one way only.
  for (const resource of [...taken].sort()) await tx.lock(`resource ${resource}`);
}

/** Of an event whose resources are locked. Throws ApiError resource_busy where another has one of them. */
export async function refuseClashes(tx: ReadTransaction, row: EventRow): Promise<void> {
  if (!takesResources(row)) return;
  const definition = definitionOf(row);
  const wanted = busyTimes(definition, row.time_zone, bookedWindow(definition, row.time_zone));
  const first = wanted[0];
  const last = wanted.at(-1);
  if (!first || !last) return;
  const within = { start: first.start, end: last.end };
  for (const held of await listHeldEvents(tx, row.workspace_id, resourcesOf(row), within)) {
    if (held.id !== row.id) refuseClash(held, wanted, within);
  }
}

function takesResources(row: EventRow): boolean {
  return resourcesOf(row).length > 0 && meetingsOf(definitionOf(row)).some(isBlocking);
}

function bookedWindow(definition: EventDefinition, calendarZone: string): Interval {
  const times = meetingsOf(definition).map((meeting) => intervalOf(meeting, calendarZone));
  const start = times.reduce((least, time) => Math.min(least, time.start), Number.POSITIVE_INFINITY);
  const end = times.reduce((most, time) => Math.max(most, time.end), Number.NEGATIVE_INFINITY);
  return { start, end: Math.max(start + BOOKED_MS, end) };
}

function refuseClash(held: HeldEvent, wanted: readonly Interval[], within: Interval): void {
  const taken = busyTimes(JSON.parse(held.definition), held.timeZone, within);
  const clash = taken.find((time) => overlaps(wanted, time));
  if (!clash) return;
  throw new ApiError('resource_busy', 'A room or equipment is taken at that time.', {
    resource_id: held.holder,
    starts_at: new Date(clash.start).toISOString(),
    ends_at: new Date(clash.end).toISOString(),
  });
}

function busyTimes(definition: EventDefinition, calendarZone: string, window: Interval): Interval[] {
  return merged(
    occurrences(definition, calendarZone, window)
      .filter(({ meeting }) => isBlocking(meeting))
      .toArray(),
  );
}
