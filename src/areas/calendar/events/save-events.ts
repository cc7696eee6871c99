import type { WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { deleteSpans, insertSpans, type SpanRow } from '../recurrence/span-store.ts';
import { firstStart, spanOf } from '../recurrence/spans.ts';
import type { EventDefinition } from './definition.ts';
import { deleteEvent, type EventRow, putEvents, renewVersions } from './event-store.ts';
import { busyHolders, busyHoldersWithPatterns, listedAddresses, type StoredEvent } from './holders.ts';
import { deleteInvitations, type InvitationRow, insertInvitations } from './invitation-store.ts';

/** An event before and after a change; `before` is undefined for a new event. */
export interface EventChange {
  before: EventRow | undefined;
  after: EventRow;
}

/** Limits for events that are changed and stored together (number, and characters before and after), and so the memory. */
export const EVENTS_AT_ONCE = { rows: 500, characters: 4 * 1024 * 1024 };

/** Spans or invitations that are collected before they are stored. */
const ROWS_AT_ONCE = 2_000;

/** Stores events of one workspace, their spans and invitations, and renews the versions of their holders. */
export async function saveEvents(tx: WriteTransaction, changes: readonly EventChange[]): Promise<void> {
  const [first] = changes;
  if (!first) return;
  const known = changes.flatMap(({ before }) => (before ? [before] : []));
  await putEvents(
    tx,
    changes.map(({ after }) => after),
  );
  const knownIds = known.map(({ id }) => id);
  if (knownIds.length > 0) {
    await deleteSpans(tx, first.after.workspace_id, knownIds);
    await deleteInvitations(tx, first.after.workspace_id, knownIds);
  }
  await storeInPortions(changes, spanRows, (rows) => insertSpans(tx, rows));
  await storeInPortions(changes, invitationRows, (rows) => insertInvitations(tx, rows));
  const holders = new Set<string>();
  for (const row of [...known, ...changes.map(({ after }) => after)]) {
    for (const holder of holdersOf(row)) holders.add(holder);
    await giveWay();
  }
  await renewVersions(tx, first.after.workspace_id, holders);
}

/** Stores the rows of events in portions: an event may list thousands of attendees over its instances. */
async function storeInPortions<Row>(
  changes: readonly EventChange[],
  rowsOf: (event: EventRow) => Row[],
  insert: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  let rows: Row[] = [];
  for (const { after } of changes) {
    for (const row of rowsOf(after)) rows.push(row);
    await giveWay();
    if (rows.length < ROWS_AT_ONCE) continue;
    await insert(rows);
    rows = [];
  }
  await insert(rows);
}

/** Deletes an event. It keeps nobody busy and invites nobody afterwards. */
export async function removeEvent(tx: WriteTransaction, row: EventRow): Promise<void> {
  await deleteSpans(tx, row.workspace_id, [row.id]);
  await deleteInvitations(tx, row.workspace_id, [row.id]);
  await deleteEvent(tx, row);
  await renewVersions(tx, row.workspace_id, holdersOf(row));
}

export function definitionOf({ definition }: Pick<EventRow, 'definition'>): EventDefinition {
  return JSON.parse(definition);
}

export function resourcesOf({ resources }: EventRow): string[] {
  return JSON.parse(resources);
}

/** Whom and what an event may keep busy. */
export function holdersOf(row: EventRow): Set<string> {
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

/** The invitation rows of an event: one for each address, whether the event keeps it busy or not. */
function invitationRows(row: EventRow): InvitationRow[] {
  const definition = definitionOf(row);
  const addresses = [...listedAddresses(definition)];
  if (addresses.length === 0) return [];
  const { end, spanClass } = spanOf(definition, row.time_zone);
  const start = firstStart(definition, row.time_zone);
  return addresses.map((address) => ({
    workspace_id: row.workspace_id,
    address,
    span_class: spanClass,
    starts_at: start,
    event_id: row.id,
    ends_at: end,
    owner_id: row.user_id,
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
