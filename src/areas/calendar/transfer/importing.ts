import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { inPortions } from '../../../storage/query/long-rows.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { lockResources, refuseClashes } from '../events/bookings.ts';
import type { CalendarRow } from '../events/calendar-store.ts';
import { getCalendarRow } from '../events/calendars.ts';
import type { EventDefinition } from '../events/definition.ts';
import type { ImportedEvent, ReceivedEvents } from '../events/event-reading.ts';
import type { CalendarImportReport } from '../events/event-schema.ts';
import { type EventRow, findEvents, findEventsByUid } from '../events/event-store.ts';
import { newEventRow } from '../events/events.ts';
import { mergedEvent } from '../events/merging.ts';
import { definitionOf, EVENTS_AT_ONCE, type EventChange, resourcesOf, saveEvents } from '../events/saving.ts';
import { type CalendarOwner, calendarLock } from '../owner.ts';

/**
 * Takes the events of a file into a calendar; the same UID updates, unless it says an earlier version. An import takes no
 * resources, but what it moves may have taken some: they have to be free at the new time as well. Throws ApiError
 * not_found, resource_busy where another has a resource then, and validation_failed where to see that takes too long.
 */
export async function importEvents(
  tx: WriteTransaction,
  owner: CalendarOwner,
  calendarId: string,
  { events, skipped }: ReceivedEvents,
): Promise<CalendarImportReport> {
  await tx.lock(calendarLock(owner));
  const calendar = await getCalendarRow(tx, owner, calendarId);
  // An event without a UID is one of its own, each time it comes.
  const all = [...Map.groupBy(events, ({ uid = Symbol() }): string | symbol => uid)];
  const report = { created: 0, updated: 0, skipped: [...skipped] };
  const holding: string[] = [];
  const changes = changesOf(tx, calendar, all, report);
  for await (const portion of inPortions(changes, lengthOf, EVENTS_AT_ONCE)) {
    const updated = portion.filter(({ before }) => before).length;
    report.updated += updated;
    report.created += portion.length - updated;
    for (const id of await keep(tx, portion)) holding.push(id);
  }
  // Only now: until all of them have moved, one would clash with where another was.
  await refuseClashes(tx, findEvents(tx, calendar.workspace_id, holding));
  report.skipped.sort((one, other) => one.index - other.index);
  return report;
}

function lengthOf({ before, after }: EventChange): number {
  return after.definition.length + (before?.definition.length ?? 0);
}

/** Stores what is new and what has changed; answers the ids of those that have resources, which are locked. */
async function keep(tx: WriteTransaction, changes: readonly EventChange[]): Promise<string[]> {
  const known = changes.filter(({ before }) => before).map(({ after }) => after);
  const holding = known.filter((row) => resourcesOf(row).length > 0);
  await lockResources(tx, holding);
  await saveEvents(tx, changes);
  return holding.map(({ id }) => id);
}

type UidEvents = readonly [uid: string | symbol, events: readonly ImportedEvent[]];

/** What the events of a file change, one by one; what of them is not taken is told in the report. */
async function* changesOf(
  tx: ReadTransaction,
  calendar: CalendarRow,
  all: readonly UidEvents[],
  report: Pick<CalendarImportReport, 'skipped'>,
): AsyncGenerator<EventChange> {
  for await (const { uid, events, before } of withStored(tx, calendar, all)) {
    await giveWay();
    const { definition, skipped } = mergedEvent(before && definitionOf(before), events);
    for (const skip of skipped) report.skipped.push(skip);
    if (definition) yield { before, after: after(calendar, before, uid, definition) };
  }
}

interface MetEvents {
  uid: string | undefined;
  events: readonly ImportedEvent[];
  /** What the calendar has of them. */
  before: EventRow | undefined;
}

/** Events with what is stored of them: first those that are known, then the new ones. */
async function* withStored(
  tx: ReadTransaction,
  calendar: CalendarRow,
  all: readonly UidEvents[],
): AsyncGenerator<MetEvents> {
  const fresh = new Map(all);
  const uids = all.flatMap(([uid]) => (typeof uid === 'string' ? [uid] : []));
  for await (const before of findEventsByUid(tx, calendar.id, uids)) {
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
