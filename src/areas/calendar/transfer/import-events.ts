import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { inPortions } from '../../../storage/query/long-rows.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { type CalendarDependencies, findersFor } from '../dependencies.ts';
import { lockResources, refuseClashes } from '../events/bookings.ts';
import type { CalendarRow } from '../events/calendar-store.ts';
import { getCalendarRow } from '../events/calendars.ts';
import type { EventDefinition } from '../events/definition.ts';
import type { CalendarImportReport } from '../events/event-schema.ts';
import { type EventRow, findEvents, findEventsByUid, listResourcesByUid } from '../events/event-store.ts';
import { newEventRow } from '../events/events.ts';
import { EventBatch } from '../events/invited.ts';
import { mergedEvent } from '../events/merged-event.ts';
import type { ImportedEvent, ReceivedEvents } from '../events/receive-events.ts';
import {
  definitionOf,
  EVENTS_AT_ONCE,
  type EventChange,
  resourcesOf,
  saveEvents,
} from '../events/save-events.ts';
import { type CalendarOwner, calendarLock } from '../owner.ts';

/**
 * Stores the events of a file in a calendar. An event with a known UID is updated, unless the file has an earlier
 * version; one that is stored like this already counts as updated, and nothing changes. An import books no resources,
 * but an event that it moves may have booked some: they must be free at the new time. Throws ApiError not_found,
 * resource_busy if a resource is booked then, and validation_failed if that check takes too long.
 */
export async function importEvents(
  tx: WriteTransaction,
  dependencies: CalendarDependencies,
  owner: CalendarOwner,
  calendarId: string,
  { events, skipped }: ReceivedEvents,
): Promise<CalendarImportReport> {
  const { users: findUsers } = findersFor(dependencies, owner);
  await tx.lock(calendarLock(owner));
  const calendar = await getCalendarRow(tx, owner, calendarId);
  // Each event without a UID is a new event.
  const all = [...Map.groupBy(events, ({ uid = Symbol() }): string | symbol => uid)];
  const report = { created: 0, updated: 0, skipped: [...skipped] };
  const holding: string[] = [];
  const batches = {
    created: new EventBatch('event.created', findUsers),
    changed: new EventBatch('event.changed', findUsers),
  };
  await lockResources(tx, calendar.workspace_id, await listResourcesByUid(tx, calendar, uidsOf(all)));
  const changes = changesOf(tx, calendar, all, report);
  for await (const portion of inPortions(changes, lengthOf, EVENTS_AT_ONCE)) {
    const { changed = [], created = [] } = Object.groupBy(portion, ({ before }) =>
      before ? 'changed' : 'created',
    );
    report.updated += changed.length;
    report.created += created.length;
    const revised = changed.filter(({ before, after }) => before?.definition !== after.definition);
    await saveEvents(tx, [...revised, ...created]);
    // New events have no resources.
    for (const id of holdersOfResources(revised)) holding.push(id);
    await batches.created.add(tx, created);
    await batches.changed.add(tx, revised);
  }
  for (const batch of Object.values(batches)) batch.emit(tx, calendar);
  // Checked last: until all events have moved, one would conflict with the old time of another.
  await refuseClashes(tx, findEvents(tx, calendar.workspace_id, holding));
  report.skipped.sort((one, other) => one.index - other.index);
  return report;
}

function lengthOf({ before, after }: EventChange): number {
  return after.definition.length + (before?.definition.length ?? 0);
}

function holdersOfResources(changes: readonly EventChange[]): string[] {
  return changes.filter(({ after }) => resourcesOf(after).length > 0).map(({ after }) => after.id);
}

type UidEvents = readonly [uid: string | symbol, events: readonly ImportedEvent[]];

function uidsOf(all: readonly UidEvents[]): string[] {
  return all.flatMap(([uid]) => (typeof uid === 'string' ? [uid] : []));
}

/** The changes that the events of a file lead to, one by one. Skipped components are added to the report. */
async function* changesOf(
  tx: ReadTransaction,
  calendar: CalendarRow,
  all: readonly UidEvents[],
  report: Pick<CalendarImportReport, 'skipped'>,
): AsyncGenerator<EventChange> {
  for await (const { uid, events, before } of matchStored(tx, calendar, all)) {
    await giveWay();
    const { definition, skipped } = mergedEvent(before && definitionOf(before), events);
    for (const skip of skipped) report.skipped.push(skip);
    if (definition) yield { before, after: after(calendar, before, uid, definition) };
  }
}

interface MatchedEvents {
  uid: string | undefined;
  events: readonly ImportedEvent[];
  /** The stored event, if the calendar has it. */
  before: EventRow | undefined;
}

/** Pairs the events with the stored ones: first the known events, then the new ones. */
async function* matchStored(
  tx: ReadTransaction,
  calendar: CalendarRow,
  all: readonly UidEvents[],
): AsyncGenerator<MatchedEvents> {
  const fresh = new Map(all);
  for await (const before of findEventsByUid(tx, calendar, uidsOf(all))) {
    const { uid } = before;
    yield { uid, events: fresh.get(uid) ?? [], before };
    fresh.delete(uid);
  }
  for (const [uid, events] of fresh)
    yield { uid: typeof uid === 'string' ? uid : undefined, events, before: undefined };
}

function after(
  calendar: CalendarRow,
  before: EventRow | undefined,
  uid: string | undefined,
  definition: EventDefinition,
): EventRow {
  if (before) return { ...before, definition: JSON.stringify(definition), updated_at: Date.now() };
  return newEventRow(calendar, definition, uid === undefined ? {} : { uid });
}
