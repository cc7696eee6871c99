import type { WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { deleteSpans, insertSpans, type SpanRow } from '../recurrence/span-store.ts';
import { spanOf } from '../recurrence/spans.ts';
import type { EventDefinition } from './definition.ts';
import { deleteEvent, type EventRow, putEvents, renewVersions } from './event-store.ts';
import { busyHolders, busyHoldersWithPatterns, type StoredEvent } from './holders.ts';

/** An event before and after a change; `before` is undefined for a new event. */
export interface EventChange {
  before: EventRow | undefined;
  after: EventRow;
}

/** Limits for events that are changed and stored together (number, and characters before and after), and so the memory. */
export const EVENTS_AT_ONCE = { rows: 500, characters: 4 * 1024 * 1024 };

/** Spans that are collected before they are stored. */
const SPANS_AT_ONCE = 2_000;

/** Stores events of one workspace and their spans, and renews the versions of their holders. */
export async function saveEvents(tx: WriteTransaction, changes: readonly EventChange[]): Promise<void> {
  const [first] = changes;
  if (!first) return;
  const known = changes.flatMap(({ before }) => (before ? [before] : []));
  await putEvents(
    tx,
    changes.map(({ after }) => after),
  );
  if (known.length > 0)
    await deleteSpans(
      tx,
      known.map(({ id }) => id),
    );
  await storeSpans(tx, changes);
  const holders = new Set<string>();
  for (const row of [...known, ...changes.map(({ after }) => after)]) {
    for (const holder of holdersOf(row)) holders.add(holder);
    await giveWay();
  }
  await renewVersions(tx, first.after.workspace_id, holders);
}

/** Stores the spans of events in portions: an event may list thousands of attendees over its instances. */
async function storeSpans(tx: WriteTransaction, changes: readonly EventChange[]): Promise<void> {
  let rows: SpanRow[] = [];
  for (const { after } of changes) {
    for (const row of spanRows(after)) rows.push(row);
    await giveWay();
    if (rows.length < SPANS_AT_ONCE) continue;
    await insertSpans(tx, rows);
    rows = [];
  }
  await insertSpans(tx, rows);
}

/** Deletes an event. It keeps nobody busy afterwards. */
export async function removeEvent(tx: WriteTransaction, row: EventRow): Promise<void> {
  await deleteSpans(tx, [row.id]);
  await deleteEvent(tx, row);
  await renewVersions(tx, row.workspace_id, holdersOf(row));
}

export function definitionOf({ definition }: Pick<EventRow, 'definition'>): EventDefinition {
  return JSON.parse(definition);
}

export function resourcesOf({ resources }: EventRow): string[] {
  return JSON.parse(resources);
}

function holdersOf(row: EventRow): Set<string> {
  return busyHolders(heldEvent(row));
}

/** The span rows of an event. The calendar is always a holder, even if the event keeps nobody busy. */
function spanRows(row: EventRow): SpanRow[] {
  const event = heldEvent(row);
  const { start, end, spanClass } = spanOf(event.definition, row.time_zone);
  const calendar = { holder: row.calendar_id, busy: '' };
  return [calendar, ...busyHoldersWithPatterns(event)].map(({ holder, busy }) => ({
    workspace_id: row.workspace_id,
    holder,
    span_class: spanClass,
    starts_at: start,
    event_id: row.id,
    ends_at: end,
    busy,
  }));
}

function heldEvent(row: EventRow): StoredEvent {
  return {
    id: row.id,
    definition: definitionOf(row),
    timeZone: row.time_zone,
    userId: row.user_id,
    resources: resourcesOf(row),
  };
}
