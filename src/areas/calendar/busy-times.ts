import type { ReadTransaction } from '../../storage/database.ts';
import { type BusyCache, PAGE_MS } from './busy-cache.ts';
import { BusyTime } from './busy-time.ts';
import type { EventDefinition, Meeting } from './definition.ts';
import { clipped, type Interval, merged } from './intervals.ts';
import { occurrences } from './occurrences.ts';
import { listHeldEvents } from './span-store.ts';
import { Turns } from './turns.ts';
import { listVersions } from './version-store.ts';

/** Somebody or something whose time is asked for. */
export interface Busyable {
  /** One for each, and the same each time. */
  key: string;
  /** What its events are held by. */
  holders: readonly string[];
  isKeptBusyBy(meeting: Meeting, ownerId: string): boolean;
}

/** Those who are read together when nothing is known of them: bounds what is in memory at once. */
const READ_AT_ONCE = 5;

/** When each of these is busy within a window: merged, clipped, sorted; by key. */
export async function busyTimes(
  tx: ReadTransaction,
  cache: BusyCache,
  workspaceId: string,
  asked: readonly Busyable[],
  window: Interval,
): Promise<Map<string, BusyTime[]>> {
  const holders = [...new Set(asked.flatMap((one) => one.holders))];
  const versions = await listVersions(tx, workspaceId, holders);
  const pages = pagesOf(window);
  const versioned = asked.map((one) => ({ ...one, version: versionOf(one.holders, versions), pages }));
  const unknown = versioned.filter((one) => pages.some((page) => !cache.get(one.key, one.version, page)));
  const found = new Map<string, BusyTime[]>();
  for (const one of versioned) {
    if (!unknown.includes(one)) found.set(one.key, fromPages(cache, one, window));
  }
  const turns = new Turns();
  for (let i = 0; i < unknown.length; i += READ_AT_ONCE) {
    const some = unknown.slice(i, i + READ_AT_ONCE);
    for (const [key, times] of await readBusyTimes(tx, cache, workspaceId, some, turns)) {
      found.set(key, busy(clipped(times, window)));
    }
  }
  return found;
}

interface Versioned extends Busyable {
  version: string;
  pages: readonly number[];
}

function versionOf(holders: readonly string[], versions: ReadonlyMap<string, string>): string {
  return holders.map((holder) => `${holder} ${versions.get(holder) ?? ''}`).join('\n');
}

function pagesOf({ start, end }: Interval): number[] {
  const first = Math.floor(start / PAGE_MS);
  return Array.from({ length: Math.ceil(end / PAGE_MS) - first }, (_, i) => first + i);
}

function fromPages(cache: BusyCache, { key, version, pages }: Versioned, window: Interval): BusyTime[] {
  const times: BusyTime[] = [];
  for (const page of pages) {
    for (const time of cache.get(key, version, page) ?? []) addTime(times, time, window);
  }
  return times;
}

/** Adds a time that comes after all others; those that a page has cut become one again. */
function addTime(times: BusyTime[], time: BusyTime, window: Interval): void {
  if (time.end <= window.start || time.start >= window.end) return;
  const last = times.at(-1);
  const isWhole = time.start >= window.start && time.end <= window.end && last?.end !== time.start;
  if (isWhole) {
    times.push(time);
    return;
  }
  const start = Math.max(time.start, window.start);
  const end = Math.min(time.end, window.end);
  if (last?.end !== start) times.push(new BusyTime({ start, end }));
  else times[times.length - 1] = new BusyTime({ start: last.start, end });
}

/** Reads the pages that are asked for from the events, and keeps them. */
async function readBusyTimes(
  tx: ReadTransaction,
  cache: BusyCache,
  workspaceId: string,
  asked: readonly Versioned[],
  turns: Turns,
): Promise<Map<string, Interval[]>> {
  const pages = asked[0]?.pages ?? [];
  const window = { start: (pages[0] ?? 0) * PAGE_MS, end: ((pages.at(-1) ?? 0) + 1) * PAGE_MS };
  const events = await eventsByHolder(tx, workspaceId, asked, window);
  const found = new Map<string, Interval[]>();
  for (const one of asked) {
    await turns.next();
    const times = timesOf(one, events, window);
    found.set(one.key, times);
    keepPages(cache, one, times);
  }
  return found;
}

function timesOf(
  one: Versioned,
  events: ReadonlyMap<string, readonly ReadEvent[]>,
  window: Interval,
): Interval[] {
  const own = new Set(one.holders.flatMap((holder) => events.get(holder) ?? []));
  const times: Interval[] = [];
  for (const { definition, timeZone, userId } of own) {
    for (const { start, end, meeting } of occurrences(definition, timeZone, window))
      if (one.isKeptBusyBy(meeting, userId)) times.push({ start, end });
  }
  return clipped(merged(times), window);
}

/** Times are in order, so one walk divides them among the pages. */
function keepPages(cache: BusyCache, { key, version, pages }: Versioned, times: readonly Interval[]): void {
  let next = 0;
  for (const page of pages) {
    const bounds = { start: page * PAGE_MS, end: (page + 1) * PAGE_MS };
    while ((times[next]?.end ?? Number.POSITIVE_INFINITY) <= bounds.start) next++;
    let after = next;
    while ((times[after]?.start ?? Number.POSITIVE_INFINITY) < bounds.end) after++;
    cache.set(key, version, page, busy(clipped(times.slice(next, after), bounds)));
  }
}

function busy(times: readonly Interval[]): BusyTime[] {
  return times.map((time) => new BusyTime(time));
}

interface ReadEvent {
  definition: EventDefinition;
  timeZone: string;
  userId: string;
}

/** Each event is one object, however many it concerns. */
async function eventsByHolder(
  tx: ReadTransaction,
  workspaceId: string,
  asked: readonly Versioned[],
  window: Interval,
): Promise<Map<string, ReadEvent[]>> {
  const holders = [...new Set(asked.flatMap((one) => one.holders))];
  const events = new Map<string, ReadEvent>();
  const byHolder = new Map<string, ReadEvent[]>(holders.map((holder) => [holder, []]));
  for (const { holder, id, definition, timeZone, userId } of await listHeldEvents(
    tx,
    workspaceId,
    holders,
    window,
  )) {
    const event = events.get(id) ?? { definition: JSON.parse(definition), timeZone, userId };
    events.set(id, event);
    byHolder.get(holder)?.push(event);
  }
  return byHolder;
}
