import type { ReadTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { EventDefinition, Meeting } from '../events/definition.ts';
import { type EventRow, findEvents, listVersions } from '../events/event-store.ts';
import { definitionOf, holdersOf } from '../events/save-events.ts';
import type { Interval } from '../recurrence/intervals.ts';
import { PatternTimes } from '../recurrence/pattern-times.ts';
import { listBusyPatterns, listBusyPatternsWithout } from '../recurrence/span-store.ts';
import { TimesWithin } from '../recurrence/times-within.ts';
import { BusyCache, BusyTime, PAGE_MS } from './busy-cache.ts';
import type { BusyPattern } from './busy-patterns.ts';
import type { WindowWork } from './window-work.ts';

interface ReadEvent {
  readonly id: string;
  readonly userId: string;
  readonly timeZone: string;
  readonly definition: EventDefinition;
  /** Length of its definition as text. */
  readonly characters: number;
}

/** Limits for events that are in memory at the same time: their number and their characters. */
const MOST_SHARED = 500;
const MOST_CHARACTERS = 4 * 1024 * 1024;
const PATTERNS_A_TURN = 50;
/** Times that are processed in one turn. */
const TIMES_A_TURN = 1_000;

/** A person or resource that events may keep busy. */
interface BusySubject {
  /** The keys under which its events are stored. */
  holders: readonly string[];
  isKeptBusyBy(meeting: Meeting, ownerId: string): boolean;
}

/** Reads the busy times of people and resources within a window (milliseconds since the epoch) from the database. */
class BusyReading {
  readonly #tx: ReadTransaction;
  readonly #workspaceId: string;
  readonly #window: Interval;
  readonly #patternTimes: PatternTimes;
  readonly #times: TimesWithin;
  readonly #work: WindowWork;
  readonly #ignoredId: string | undefined;

  /** `ignoredId`: the event that keeps nobody busy. */
  constructor({ tx, workspaceId, work }: Omit<Source, 'cache'>, window: Interval, ignoredId?: string) {
    this.#tx = tx;
    this.#work = work;
    this.#workspaceId = workspaceId;
    this.#ignoredId = ignoredId;
    this.#window = window;
    this.#patternTimes = new PatternTimes(window);
    this.#times = new TimesWithin(window);
  }

  /** The busy times of each subject, merged and sorted. Rejects if that takes too much work. */
  async *timesOf<H extends BusySubject>(some: readonly H[]): AsyncGenerator<[H, Interval[]]> {
    const holders = [...new Set(some.flatMap((one) => one.holders))];
    const texts = await this.#patternsOf(holders);
    const patterns = new Map(holders.map((holder) => [holder, parsePatterns(texts.get(holder) ?? [])]));
    const ids = [...new Set([...patterns.values()].flat().filter((pattern) => typeof pattern === 'string'))];
    // Most queries are about few events, some of which are shared by several subjects.
    const shared = ids.length <= MOST_SHARED ? await this.#sharedEvents(ids) : undefined;
    for (const one of some) {
      const own = one.holders.flatMap((holder) => patterns.get(holder) ?? []);
      await this.#addPatterns(own.filter((pattern) => typeof pattern !== 'string'));
      await this.#addEvents(
        one,
        own.filter((pattern) => typeof pattern === 'string'),
        shared,
      );
      yield [one, await this.#takeTimes()];
    }
  }

  #patternsOf(holders: readonly string[]): Promise<Map<string, string[]>> {
    const asked = [this.#tx, this.#workspaceId, holders, this.#window] as const;
    return this.#ignoredId === undefined
      ? listBusyPatterns(...asked)
      : listBusyPatternsWithout(...asked, this.#ignoredId);
  }

  async #takeTimes(): Promise<Interval[]> {
    const times: Interval[] = [];
    for (const time of this.#times.takeUnion()) {
      this.#work.countReported(1);
      times.push(time);
      if (times.length % TIMES_A_TURN === 0) await giveWay();
    }
    return times;
  }

  async #addPatterns(patterns: readonly Exclude<BusyPattern, string>[]): Promise<void> {
    for (const [i, pattern] of patterns.entries()) {
      this.#patternTimes.addTo(this.#times, pattern);
      if (i % PATTERNS_A_TURN === 0) await giveWay();
    }
  }

  async #addEvents(
    one: BusySubject,
    ids: readonly string[],
    shared: ReadonlyMap<string, ReadEvent> | undefined,
  ): Promise<void> {
    const missing = new Set(ids);
    const events = shared ? ids.flatMap((id) => shared.get(id) ?? []) : this.#eventsOf([...missing]);
    for await (const event of events) {
      missing.delete(event.id);
      await this.#addEvent(one, event);
    }
    for (const id of missing) throw new TypeError(`${id} has a span and is no event`);
  }

  async #addEvent(one: BusySubject, { definition, timeZone, userId }: ReadEvent): Promise<void> {
    // The result for a meeting is the same at each of its occurrences.
    const results = new Map<Meeting, boolean>();
    await this.#work.eachOccurrence(definition, timeZone, this.#window, ({ start, end, meeting }) => {
      const isBusy = results.get(meeting) ?? one.isKeptBusyBy(meeting, userId);
      results.set(meeting, isBusy);
      if (isBusy) this.#times.add(start / 1000, end / 1000);
    });
  }

  /** Reads each event once for all subjects; undefined if the events are too large to hold in memory. */
  async #sharedEvents(ids: readonly string[]): Promise<Map<string, ReadEvent> | undefined> {
    const events = new Map<string, ReadEvent>();
    let characters = 0;
    for await (const event of this.#eventsOf(ids)) {
      characters += event.characters;
      if (characters > MOST_CHARACTERS) return undefined;
      events.set(event.id, event);
    }
    return events;
  }

  async *#eventsOf(ids: readonly string[]): AsyncGenerator<ReadEvent> {
    for await (const row of findEvents(this.#tx, this.#workspaceId, ids)) {
      const { id, user_id: userId, time_zone: timeZone } = row;
      yield { id, userId, timeZone, definition: definitionOf(row), characters: row.definition.length };
      await giveWay();
    }
  }
}

function parsePatterns(texts: readonly string[]): BusyPattern[] {
  return JSON.parse(`[${texts.join(',')}]`);
}

/** A person or resource whose busy times are queried. */
export interface Busyable extends BusySubject {
  /** Identifies it, the same for each query. */
  key: string;
}

/** The source of busy times, and the work that may be spent. */
interface Source {
  tx: ReadTransaction;
  cache: BusyCache;
  workspaceId: string;
  work: WindowWork;
}

/** Limits how many subjects without cached times are read together, and so the memory. */
const READ_AT_ONCE = 5;

/**
 * The busy times of each subject within a window: merged, clipped and sorted; by key. `ignored`: an event that keeps
 * nobody busy. Rejects if that takes too much work.
 */
export async function busyTimes(
  { tx, cache, workspaceId, work }: Source,
  asked: readonly Busyable[],
  window: Interval,
  ignored?: EventRow,
): Promise<Map<string, BusyTime[]>> {
  const holders = [...new Set(asked.flatMap((one) => one.holders))];
  const versions = await listVersions(tx, workspaceId, holders);
  const pages = pagesOf(window);
  const found = new Map<string, BusyTime[]>();
  const unknown: (Busyable & CachedPages)[] = [];
  const ignoring: (Busyable & CachedPages)[] = [];
  const kept = ignored && holdersOf(ignored);
  for (const one of asked) {
    const version = versionOf(one.holders, versions);
    if (kept && one.holders.some((holder) => kept.has(holder))) {
      ignoring.push({ ...one, version, pages });
      continue;
    }
    const known = await fromPages(cache, { key: one.key, version, pages }, window, work);
    if (known) found.set(one.key, known);
    else unknown.push({ ...one, version, pages });
  }
  if (unknown.length > 0) await readUnknown({ tx, cache, workspaceId, work }, unknown, window, found);
  // A cache of its own: these times are not those of the version.
  const apart = { tx, cache: new BusyCache(), workspaceId, work };
  if (ignoring.length > 0) await readUnknown(apart, ignoring, window, found, ignored?.id);
  return found;
}

/** Reads the subjects with uncached pages, and caches the result. */
async function readUnknown(
  { tx, cache, workspaceId, work }: Source,
  unknown: readonly (Busyable & CachedPages)[],
  window: Interval,
  found: Map<string, BusyTime[]>,
  ignoredId?: string,
): Promise<void> {
  const bounds = boundsOf(unknown[0]?.pages ?? []);
  const reading = new BusyReading({ tx, workspaceId, work }, bounds, ignoredId);
  for (let i = 0; i < unknown.length; i += READ_AT_ONCE) {
    const some = unknown.slice(i, i + READ_AT_ONCE);
    for await (const [one, times] of reading.timesOf(some)) {
      found.set(one.key, await cachePages(cache, one, times, window));
    }
  }
}

/**
 * Caches the pages of times that were read. Returns the times within the window. It yields to the event loop, because a
 * subject may have a busy time in each minute of a year.
 */
async function cachePages(
  cache: BusyCache,
  one: CachedPages,
  read: readonly Interval[],
  window: Interval,
): Promise<BusyTime[]> {
  const times: BusyTime[] = [];
  const nextPage = pagesFrom(read);
  for (const page of one.pages) {
    const onPage = nextPage(page);
    cache.set(one.key, one.version, page, onPage);
    addPage(times, onPage, window);
    await giveWay();
  }
  return times;
}

/** The cache key of some pages of a subject at one version. */
interface CachedPages {
  key: string;
  version: string;
  pages: readonly number[];
}

function versionOf(holders: readonly string[], versions: ReadonlyMap<string, string>): string {
  let version = '';
  for (const holder of holders) version += `${holder} ${versions.get(holder) ?? ''}\n`;
  return version;
}

function pagesOf({ start, end }: Interval): number[] {
  const pages: number[] = [];
  for (let page = Math.floor(start / PAGE_MS); page * PAGE_MS < end; page++) pages.push(page);
  return pages;
}

function boundsOf(pages: readonly number[]): Interval {
  return { start: (pages[0] ?? 0) * PAGE_MS, end: ((pages.at(-1) ?? 0) + 1) * PAGE_MS };
}

/** Undefined if any page is not cached. */
async function fromPages(
  cache: BusyCache,
  { key, version, pages }: CachedPages,
  window: Interval,
  work: WindowWork,
): Promise<BusyTime[] | undefined> {
  const known = pages.map((page) => cache.get(key, version, page));
  if (known.includes(undefined)) return undefined;
  const times: BusyTime[] = [];
  for (const page of known) {
    work.countReported(page?.length ?? 0);
    addPage(times, page ?? [], window);
    await giveWay();
  }
  return times;
}

/** Adds the times of a page that lie within a window. Pages must come in order. */
function addPage(times: BusyTime[], page: readonly BusyTime[], window: Interval): void {
  for (const time of page) addTime(times, time, window);
}

/** Adds a time behind all others. Joins times that a page boundary has split. */
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

/**
 * Returns a function that selects the times on a page. Pages must be queried in order: one pass over the sorted times
 * serves all pages.
 */
function pagesFrom(times: readonly Interval[]): (page: number) => BusyTime[] {
  let next = 0;
  return (page) => {
    const start = page * PAGE_MS;
    const end = start + PAGE_MS;
    const onPage: BusyTime[] = [];
    for (; ; next++) {
      const time = times[next];
      if (!time || time.start >= end) return onPage;
      if (time.end > start)
        onPage.push(new BusyTime({ start: Math.max(time.start, start), end: Math.min(time.end, end) }));
      if (time.end > end) return onPage;
    }
  };
}
