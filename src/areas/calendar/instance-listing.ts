import { type Page, type PageRequest, pageOf } from '../../api/answers.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { getCalendarRow } from './calendars.ts';
import type { EventInstance } from './event-schema.ts';
import type { Interval } from './intervals.ts';
import { occurrences } from './occurrences.ts';
import type { CalendarOwner } from './owner.ts';
import { type HeldEvent, listHeldEvents } from './span-store.ts';

interface Instance extends Interval {
  id: string;
}

/** The instances of a calendar's events in a window, in order of start. Throws ApiError not_found. */
export async function pageOfInstances(
  tx: ReadTransaction,
  owner: CalendarOwner,
  calendarId: string,
  window: Interval,
  { limit, after }: PageRequest,
): Promise<Page<EventInstance>> {
  await getCalendarRow(tx, owner, calendarId);
  const [afterStart = window.start, afterId = ''] = (after ?? []) as [number?, string?];
  // What starts after a place ends after it: what was listed before it need not be read again.
  const rest = after ? { ...window, start: Math.max(window.start, afterStart) } : window;
  const held = await listHeldEvents(tx, owner.workspaceId, [calendarId], rest);
  const found = held
    .flatMap((event) => instancesOf(event, rest))
    .filter(({ start, id }) => !after || start > afterStart || (start === afterStart && id > afterId))
    .sort((a, b) => a.start - b.start || compare(a.id, b.id));
  return pageOf(found.slice(0, limit), instanceRecord, ({ start, id }) => [start, id]);
}

/** An event has one instance at a time, also where an import names two. */
function instancesOf({ id, definition, timeZone }: HeldEvent, window: Interval): Instance[] {
  const byStart = new Map<number, Instance>();
  for (const { start, end, meeting } of occurrences(JSON.parse(definition), timeZone, window)) {
    const isCancelledInstance = meeting.status === 'cancelled' && 'of' in meeting;
    if (!isCancelledInstance) byStart.set(start, { id, start, end });
  }
  return [...byStart.values()];
}

function instanceRecord({ id, start, end }: Instance): EventInstance {
  return { id, starts_at: new Date(start).toISOString(), ends_at: new Date(end).toISOString() };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
