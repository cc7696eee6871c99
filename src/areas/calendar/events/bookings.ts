import { ApiError } from '../../../contract/errors.ts';
import { invalid } from '../../../contract/validation.ts';
import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { WindowWork } from '../availability/window-work.ts';
import { type Interval, merged, overlaps } from '../recurrence/intervals.ts';
import { type HeldEvent, listHeldEvents } from '../recurrence/span-store.ts';
import { spanOf } from '../recurrence/spans.ts';
import { type EventDefinition, isBlocking, meetingsOf } from './definition.ts';
import { shownTime } from './event-record.ts';
import type { EventRow } from './event-store.ts';
import { definitionOf, resourcesOf } from './saving.ts';

/** For how long events are compared from when both of them run: two series may have no end. */
const BOOKED_MS = 2 * 366 * DAY_SECONDS * 1000;

/**
 * What is compared in a transaction, while other writes wait: some tenths of a second, and about a second where a file or
 * a calendar has many events. A room that is taken by a hundred weekly series needs a fiftieth of it for one more.
 */
const MOST_STEPS_FOR_ONE = 1_500_000;
const MOST_STEPS_FOR_MANY = 6_000_000;

function takenTooOften(): ApiError {
  const message = 'What takes the room or equipment recurs too often to see when it is free.';
  return invalid([{ pointer: '', code: 'too_large', message }]);
}

/**
 * Sees that the resources of an event are free whenever it takes them, and keeps others from taking them until this
 * transaction ends. Throws ApiError resource_busy, and validation_failed where to see that takes too long.
 */
export async function bookResources(tx: WriteTransaction, row: EventRow): Promise<void> {
  await lockResources(tx, [row]);
  await refuseClashesOf(tx, row, new WindowWork(takenTooOften, MOST_STEPS_FOR_ONE));
}

/** Keeps others from taking what these events take until this transaction ends. */
export async function lockResources(tx: WriteTransaction, rows: readonly EventRow[]): Promise<void> {
  const taken = new Set(rows.filter(takesResources).flatMap(resourcesOf));
  // In one order, so that two who want the same resources wait for each other one way only.
  for (const resource of [...taken].sort()) await tx.lock(`resource ${resource}`);
}

/**
 * Of events whose resources are locked. Throws ApiError resource_busy where others have one of them, and validation_failed
 * where to see that takes too long for all of them together.
 */
export async function refuseClashes(
  tx: ReadTransaction,
  rows: Iterable<EventRow> | AsyncIterable<EventRow>,
): Promise<void> {
  const work = new WindowWork(takenTooOften, MOST_STEPS_FOR_MANY);
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

/** When an event takes its resources, at least of a window; most windows are near its start, which is looked at once. */
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
  const taken = await busyTimes(definition, held.timeZone, window, work);
  const clash = taken.find((time) => overlaps(times, time));
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
  return merged(times);
}
