import { ApiError } from '../../../contract/errors.ts';
import { invalid } from '../../../contract/validation.ts';
import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { WindowWork } from '../availability/window-work.ts';
import { type Interval, mergeIntervals, overlaps } from '../recurrence/intervals.ts';
import { type HeldEvent, listHeldEvents } from '../recurrence/span-store.ts';
import { spanOf } from '../recurrence/spans.ts';
import { type EventDefinition, isBlocking, meetingsOf } from './definition.ts';
import { shownTime } from './event-record.ts';
import type { EventRow } from './event-store.ts';
import { definitionOf, resourcesOf } from './save-events.ts';

/** How long two events are compared from the time when both take place: two series may have no end. */
const BOOKED_MS = 2 * 366 * DAY_SECONDS * 1000;

/**
 * Limits for comparisons in a write transaction, while other writes wait: some tenths of a second, or about a second
 * for a file or a calendar with many events. To add a series to a room with a hundred weekly series takes a fiftieth of
 * the limit.
 */
const MOST_STEPS_FOR_ONE = 1_500_000;
const MOST_STEPS_FOR_MANY = 6_000_000;

function bookedTooOftenError(): ApiError {
  const message = 'What takes the room or equipment recurs too often to see when it is free.';
  return invalid([{ pointer: '', code: 'too_large', message }]);
}

/**
 * Checks that the resources of an event are free at all of its times, and locks them until the transaction ends. Throws
 * ApiError resource_busy, and validation_failed if the check takes too long.
 */
export async function bookResources(tx: WriteTransaction, row: EventRow): Promise<void> {
  if (takesResources(row)) await lockResources(tx, row.workspace_id, resourcesOf(row));
  await refuseClashesOf(tx, row, new WindowWork(bookedTooOftenError, MOST_STEPS_FOR_ONE));
}

/** Locks resources until the transaction ends: all that it books at once, and before its first write. */
export async function lockResources(
  tx: WriteTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  // Sorted, so that transactions lock the same resources in the same order and cannot deadlock.
  for (const resource of [...new Set(ids)].sort())
    await tx.lock({ workspaceId, scope: `resource ${resource}` });
}

/**
 * Checks events whose resources are locked. Throws ApiError resource_busy if another event has booked one of them, and
 * validation_failed if the checks take too long altogether.
 */
export async function refuseClashes(
  tx: ReadTransaction,
  rows: Iterable<EventRow> | AsyncIterable<EventRow>,
): Promise<void> {
  const work = new WindowWork(bookedTooOftenError, MOST_STEPS_FOR_MANY);
  for await (const row of rows) await refuseClashesOf(tx, row, work);
}

async function refuseClashesOf(tx: ReadTransaction, row: EventRow, work: WindowWork): Promise<void> {
  if (!takesResources(row)) return;
  const definition = definitionOf(row);
  const span = spanOf(definition, row.time_zone);
  const wanted = await wantedTimes(definition, row.time_zone, span, work);
  const compared = new Set([row.id]);
  for await (const held of listHeldEvents(tx, row.workspace_id, resourcesOf(row), span, compared)) {
    compared.add(held.id);
    await refuseClash(held, span, { wanted, work });
  }
}

function takesResources(row: EventRow): boolean {
  return resourcesOf(row).length > 0 && meetingsOf(definitionOf(row)).some(isBlocking);
}

type Wanted = (window: Interval) => Promise<readonly Interval[]>;

/**
 * Returns a function for the booked times of an event in a window. It computes the window at the start of the event in
 * advance, because most windows lie in it.
 */
async function wantedTimes(
  definition: EventDefinition,
  calendarZone: string,
  span: Interval,
  work: WindowWork,
): Promise<Wanted> {
  const near = comparedWindow(span, span);
  const times = await busyTimes(definition, calendarZone, near, work);
  return async (window) =>
    window.end <= near.end ? times : busyTimes(definition, calendarZone, window, work);
}

function comparedWindow(one: Interval, other: Interval): Interval {
  const start = Math.max(one.start, other.start);
  return { start, end: Math.min(one.end, other.end, start + BOOKED_MS) };
}

async function refuseClash(
  held: HeldEvent,
  span: Interval,
  { wanted, work }: { wanted: Wanted; work: WindowWork },
): Promise<void> {
  const definition: EventDefinition = JSON.parse(held.definition);
  const window = comparedWindow(span, spanOf(definition, held.timeZone));
  if (window.start >= window.end) return;
  const times = await wanted(window);
  const booked = await busyTimes(definition, held.timeZone, window, work);
  const clash = booked.find((time) => overlaps(times, time));
  if (!clash) return;
  throw new ApiError('resource_busy', 'A room or equipment is taken at that time.', {
    resource_id: held.holder,
    starts_at: shownTime(clash.start),
    ends_at: shownTime(clash.end),
  });
}

async function busyTimes(
  definition: EventDefinition,
  calendarZone: string,
  window: Interval,
  work: WindowWork,
): Promise<Interval[]> {
  const times: Interval[] = [];
  await work.eachOccurrence(definition, calendarZone, window, ({ start, end, meeting }) => {
    if (isBlocking(meeting)) times.push({ start, end });
  });
  return mergeIntervals(times);
}
