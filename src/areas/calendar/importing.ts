import type { WriteTransaction } from '../../storage/database.ts';
import { Turns } from '../../turns/turns.ts';
import { lockResources, refuseClashes } from './bookings.ts';
import type { CalendarRow } from './calendar-store.ts';
import { getCalendarRow } from './calendars.ts';
import type { EventDefinition } from './definition.ts';
import type { ImportedEvent, ReceivedEvents } from './event-reading.ts';
import type { CalendarImportReport } from './event-schema.ts';
import { type EventRow, findEventsByUid } from './event-store.ts';
import { newEventRow } from './events.ts';
import { mergedEvent } from './merging.ts';
import { type CalendarOwner, calendarLock } from './owner.ts';
import { definitionOf, type EventChange, resourcesOf, saveEvents } from './saving.ts';

/** Events that are looked up and stored together. */
const AT_ONCE = 500;

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
  const holding: EventRow[] = [];
  for (let i = 0; i < all.length; i += AT_ONCE) {
    const { changes, skipped: more } = await changesOf(tx, calendar, all.slice(i, i + AT_ONCE));
    for (const skip of more) report.skipped.push(skip);
    const updated = changes.filter(({ before }) => before).length;
    report.updated += updated;
    report.created += changes.length - updated;
    holding.push(...(await keep(tx, changes)));
  }
  // Only now: until all of them have moved, one would clash with where another was.
  await refuseClashes(tx, holding);
  report.skipped.sort((one, other) => one.index - other.index);
  return report;
}

/** Stores what is new and what has changed; answers those that have resources, which are locked. */
async function keep(tx: WriteTransaction, changes: readonly EventChange[]): Promise<EventRow[]> {
  const known = changes.filter(({ before }) => before).map(({ after }) => after);
  const holding = known.filter((row) => resourcesOf(row).length > 0);
  await lockResources(tx, holding);
  await saveEvents(tx, changes);
  return holding;
}

interface Changes {
  changes: EventChange[];
  skipped: CalendarImportReport['skipped'];
}

async function changesOf(
  tx: WriteTransaction,
  calendar: CalendarRow,
  groups: readonly [string | symbol, readonly ImportedEvent[]][],
): Promise<Changes> {
  const uids = groups.flatMap(([uid]) => (typeof uid === 'string' ? [uid] : []));
  const stored = new Map((await findEventsByUid(tx, calendar.id, uids)).map((row) => [row.uid, row]));
  const found: Changes = { changes: [], skipped: [] };
  const turns = new Turns();
  for (const [key, events] of groups) {
    await turns.next();
    const uid = typeof key === 'string' ? key : undefined;
    const before = uid === undefined ? undefined : stored.get(uid);
    const { definition, skipped } = mergedEvent(before && definitionOf(before), events);
    for (const skip of skipped) found.skipped.push(skip);
    if (definition) found.changes.push({ before, after: after(calendar, before, uid, definition) });
  }
  return found;
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
