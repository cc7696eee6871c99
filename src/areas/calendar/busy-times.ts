import type { ReadTransaction } from '../../storage/database.ts';
import { type BusyCache, PAGE_MS } from './busy-cache.ts';
import { BusyReading, type Holding } from './busy-reading.ts';
import { BusyTime } from './busy-time.ts';
import { clipped, type Interval } from './intervals.ts';
import { listVersions } from './version-store.ts';

/** Somebody or something whose time is asked for. */
export interface Busyable extends Holding {
  /** One for each, and the same each time. */
  key: string;
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
  const reading = new BusyReading(tx, workspaceId, boundsOf(pages));
  for (let i = 0; i < unknown.length; i += READ_AT_ONCE) {
    const some = unknown.slice(i, i + READ_AT_ONCE);
    for await (const [one, times] of reading.timesOf(some)) {
      keepPages(cache, one, times);
      found.set(one.key, busy(clipped(times, window)));
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

function boundsOf(pages: readonly number[]): Interval {
  return { start: (pages[0] ?? 0) * PAGE_MS, end: ((pages.at(-1) ?? 0) + 1) * PAGE_MS };
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
