import { type Page, type PageRequest, pageOf } from '../../../contract/answers.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { type WindowWork, windowTooLarge } from '../availability/window-work.ts';
import type { CalendarDependencies } from '../dependencies.ts';
import { getCalendarRow } from '../events/calendars.ts';
import { shownTime } from '../events/event-record.ts';
import type { EventInstance } from '../events/event-schema.ts';
import type { CalendarOwner } from '../owner.ts';
import type { Interval } from './intervals.ts';
import { type HeldEvent, listHeldEvents } from './span-store.ts';

interface Instance extends Interval {
  id: string;
}

/**
 * The instances of a calendar's events in a window, sorted by start, outside of any transaction. Rejects with ApiError
 * not_found for the calendar, and validation_failed if it takes too long.
 */
export function listInstances(
  { questions }: CalendarDependencies,
  owner: CalendarOwner,
  calendarId: string,
  window: Interval,
  page: PageRequest,
): Promise<Page<EventInstance>> {
  return questions.answer({
    read: (tx, work) => pageOfInstances({ tx, work }, owner, calendarId, window, page),
    answer: (found) => found,
    problem: windowTooLarge({ parameter: 'end' }),
  });
}

async function pageOfInstances(
  { tx, work }: { tx: ReadTransaction; work: WindowWork },
  owner: CalendarOwner,
  calendarId: string,
  window: Interval,
  { limit, after }: PageRequest,
): Promise<Page<EventInstance>> {
  await getCalendarRow(tx, owner, calendarId);
  const [afterStart = window.start, afterId = ''] = (after ?? []) as [number?, string?];
  // An instance that starts after the cursor also ends after it, so earlier parts of the window need not be read again.
  const rest = after ? { ...window, start: Math.max(window.start, afterStart) } : window;
  const isListed = ({ start, id }: Instance) =>
    !after || start > afterStart || (start === afterStart && id > afterId);
  const found = new FirstInstances(limit, rest);
  for await (const event of listHeldEvents(tx, owner.workspaceId, [calendarId], rest))
    found.add((await instancesOf(event, found.window, work)).filter(isListed));
  return pageOf(found.list, instanceRecord, ({ start, id }) => [start, id]);
}

/** Collects the first instances of a window. Later instances are neither stored nor searched for. */
class FirstInstances {
  readonly #most: number;
  readonly #whole: Interval;
  #list: Instance[] = [];

  constructor(most: number, window: Interval) {
    this.#most = most;
    this.#whole = window;
  }

  get list(): readonly Instance[] {
    return this.#list;
  }

  /** The window in which an instance may still precede one of the collected instances. */
  get window(): Interval {
    const last = this.#list[this.#most - 1];
    return last ? { ...this.#whole, end: Math.min(this.#whole.end, last.start + 1) } : this.#whole;
  }

  add(instances: readonly Instance[]): void {
    if (instances.length === 0) return;
    this.#list = [...this.#list, ...instances].sort(inOrder).slice(0, this.#most);
  }
}

/** An event has at most one instance at a time, even if an import lists two. */
async function instancesOf(event: HeldEvent, window: Interval, work: WindowWork): Promise<Instance[]> {
  const byStart = new Map<number, Instance>();
  const { id, definition, timeZone } = event;
  await work.eachOccurrence(JSON.parse(definition), timeZone, window, ({ start, end, meeting }) => {
    const isCancelledInstance = meeting.status === 'cancelled' && 'of' in meeting;
    if (!isCancelledInstance) byStart.set(start, { id, start, end });
  });
  return [...byStart.values()];
}

function inOrder(a: Instance, b: Instance): number {
  return a.start - b.start || compare(a.id, b.id);
}

function instanceRecord({ id, start, end }: Instance): EventInstance {
  return { id, starts_at: shownTime(start), ends_at: shownTime(end) };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
