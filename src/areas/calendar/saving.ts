import type { WriteTransaction } from '../../storage/database.ts';
import type { EventDefinition } from './definition.ts';
import { deleteEvent, type EventRow, putEvents } from './event-store.ts';
import { busyHolders, busyHoldersWithPatterns, type StoredEvent } from './holders.ts';
import { deleteSpans, insertSpans, type SpanRow } from './span-store.ts';
import { spanOf } from './spans.ts';
import { renewVersions } from './version-store.ts';

/** An event before and after; a new one was nothing before. */
export interface EventChange {
  before: EventRow | undefined;
  after: EventRow;
}

/** Stores events of one workspace, with whom they concern and when. */
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
  await insertSpans(
    tx,
    changes.flatMap(({ after }) => spanRows(after)),
  );
  const holders = new Set(
    [...known, ...changes.map(({ after }) => after)].flatMap((row) => [...holdersOf(row)]),
  );
  await renewVersions(tx, first.after.workspace_id, holders);
}

/** Removes an event for good: it keeps nobody busy any more. */
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

/** The calendar holds its events whether they keep anybody busy or not. */
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
