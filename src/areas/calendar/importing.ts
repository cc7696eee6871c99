import { ApiError } from '../../api/errors.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { lockResources, refuseClashes } from './bookings.ts';
import type { CalendarRow } from './calendar-store.ts';
import { getCalendarRow } from './calendars.ts';
import type { EventDefinition, Override } from './definition.ts';
import type { ReceivedEvents } from './event-reading.ts';
import type { CalendarImportReport } from './event-schema.ts';
import { type EventRow, findEventsByUid } from './event-store.ts';
import { newEventRow } from './events.ts';
import type { ImportedPart } from './import-parts.ts';
import { type CalendarOwner, calendarLock } from './owner.ts';
import { definitionOf, type EventChange, saveEvents } from './saving.ts';

/** Events that are looked up and stored together. */
const AT_ONCE = 500;

/** Instances of one event that differ from its series. */
const MOST_OVERRIDES = 10_000;

/**
 * Takes the events of a file into a calendar; the same UID updates. Throws ApiError not_found, payload_too_large, and
 * resource_busy where an event that has a resource comes to a time at which another has it.
 */
export async function importEvents(
  tx: WriteTransaction,
  owner: CalendarOwner,
  calendarId: string,
  { events, skipped }: ReceivedEvents,
): Promise<CalendarImportReport> {
  await tx.lock(calendarLock(owner));
  const calendar = await getCalendarRow(tx, owner, calendarId);
  const groups = new Map<string | symbol, ImportedPart[]>();
  // An event without a UID is one of its own, each time it comes.
  for (const { uid = Symbol(), part } of events) {
    const parts = groups.get(uid);
    if (parts) parts.push(part);
    else groups.set(uid, [part]);
  }
  const all = [...groups];
  const report = { created: 0, updated: 0, skipped };
  for (let i = 0; i < all.length; i += AT_ONCE) {
    const changes = await changesOf(tx, calendar, all.slice(i, i + AT_ONCE));
    const updated = changes.filter(({ before }) => before).length;
    report.updated += updated;
    report.created += changes.length - updated;
    await keep(tx, changes);
  }
  return report;
}

/** An import takes no resources, but what it moves may have taken some: they have to be free at the new time as well. */
async function keep(tx: WriteTransaction, changes: readonly EventChange[]): Promise<void> {
  const known = changes.filter(({ before }) => before).map(({ after }) => after);
  await lockResources(tx, known);
  await saveEvents(tx, changes);
  for (const row of known) await refuseClashes(tx, row);
}

async function changesOf(
  tx: WriteTransaction,
  calendar: CalendarRow,
  groups: readonly [string | symbol, readonly ImportedPart[]][],
): Promise<EventChange[]> {
  const uids = groups.flatMap(([uid]) => (typeof uid === 'string' ? [uid] : []));
  const stored = new Map((await findEventsByUid(tx, calendar.id, uids)).map((row) => [row.uid, row]));
  return groups.map(([uid, parts]) => {
    if (typeof uid !== 'string')
      return { before: undefined, after: newEventRow(calendar, mergedDefinition(undefined, parts), {}) };
    const before = stored.get(uid);
    const definition = mergedDefinition(before && definitionOf(before), parts);
    return {
      before,
      after: before ? changed(before, definition) : newEventRow(calendar, definition, { uid }),
    };
  });
}

function changed(before: EventRow, definition: EventDefinition): EventRow {
  return { ...before, definition: JSON.stringify(definition), updated_at: Date.now() };
}

/**
 * A series takes the place of the former one and of what differed in it; instances that came before their series stay.
 * An instance that comes alone changes the series that is there, or stands alone.
 */
function mergedDefinition(
  former: EventDefinition | undefined,
  parts: readonly ImportedPart[],
): EventDefinition {
  const series = parts.findLast((part) => 'series' in part)?.series;
  const given = parts.flatMap((part) => ('override' in part ? [part.override] : []));
  const kept = series && former?.series ? [] : (former?.overrides ?? []);
  const overrides = new Map<string, Override>();
  for (const override of [...kept, ...given]) overrides.set(JSON.stringify(override.of), override);
  if (overrides.size > MOST_OVERRIDES) throw tooManyOverrides();
  const whole = series ?? former?.series;
  return { ...(whole && { series: whole }), overrides: [...overrides.values()] };
}

function tooManyOverrides(): ApiError {
  const message = `One event has over ${MOST_OVERRIDES} instances that differ from its series.`;
  return new ApiError('payload_too_large', message, { max_instances: MOST_OVERRIDES });
}
