import type { ReadTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { EventDefinition, Meeting } from '../events/definition.ts';
import { findEvents, listVersions } from '../events/event-store.ts';
import { definitionOf } from '../events/saving.ts';
import type { Interval } from '../recurrence/intervals.ts';
import { PatternTimes } from '../recurrence/pattern-times.ts';
import { listBusyPatterns } from '../recurrence/span-store.ts';
import { TimesWithin } from '../recurrence/times-within.ts';
import { type BusyCache, BusyTime, PAGE_MS } from './busy-cache.ts';
import type { BusyPattern } from './busy-patterns.ts';
import type { WindowWork } from './window-work.ts';

interface ReadEvent {
  readonly id: string;
  readonly userId: string;
  readonly timeZone: string;
  readonly definition: EventDefinition;
  /** How long its definition is as text. */
  readonly characters: number;
}

/** Events that are in memory at once, and their characters. */
const MOST_SHARED = 500;
const MOST_CHARACTERS = 4 * 1024 * 1024;
const PATTERNS_A_TURN = 50;
/** Times that are taken in one turn. */
const TIMES_A_TURN = 1_000;

/** Whom or what events may keep busy. */
interface Holding {
  /** What its events are held by. */
  holders: readonly string[];
  isKeptBusyBy(meeting: Meeting, ownerId: string): boolean;
}

/** Reads from the store when people and resources are busy within a window (milliseconds since the epoch). */
class BusyReading {
  readonly #tx: ReadTransaction;
  readonly #workspaceId: string;
  readonly #window: Interval;
  readonly #patternTimes: PatternTimes;
  readonly #times: TimesWithin;
  readonly #work: WindowWork;

  constructor(tx: ReadTransaction, workspaceId: string, window: Interval, work: WindowWork) {
    this.#tx = tx;
    this.#work = work;
    this.#workspaceId = workspaceId;
    this.#window = window;
    this.#patternTimes = new PatternTimes(window);
    this.#times = new TimesWithin(window);
  }

  /** When each is busy, merged and in order. Rejects where that takes too long. */
  async *timesOf<H extends Holding>(some: readonly H[]): AsyncGenerator<[H, Interval[]]> {
    const holders = [...new Set(some.flatMap((one) => one.holders))];
    const texts = await listBusyPatterns(this.#tx, this.#workspaceId, holders, this.#window);
    const patterns = new Map(holders.map((holder) => [holder, parsed(texts.get(holder) ?? [])]));
    const ids = [...new Set([...patterns.values()].flat().filter((pattern) => typeof pattern === 'string'))];
    // Most ask about few events, which some of them share.
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

  async #takeTimes(): Promise<Interval[]> {
    const times: Interval[] = [];
    for (const time of this.#times.takeUnion()) {
      this.#work.tell(1);
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
    one: Holding,
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

  async #addEvent(one: Holding, { definition, timeZone, userId }: ReadEvent): Promise<void> {
    // A meeting lists whom it lists at each of its times.
    const kept = new Map<Meeting, boolean>();
    await this.#work.eachOccurrence(definition, timeZone, this.#window, ({ start, end, meeting }) => {
      const isKept = kept.get(meeting) ?? one.isKeptBusyBy(meeting, userId);
      kept.set(meeting, isKept);
      if (isKept) this.#times.add(start / 1000, end / 1000);
    });
  }

  /** Read once for all who share them; undefined where they are too long to be in memory at once. */
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

function parsed(texts: readonly string[]): BusyPattern[] {
  return JSON.parse(`[${texts.join(',')}]`);
}

/** Somebody or something whose time is asked for. */
export interface Busyable extends Holding {
  /** One for each, and the same each time. */
  key: string;
}

/** Where busy times come from, and the work that it takes. */
interface Source {
  tx: ReadTransaction;
  cache: BusyCache;
  workspaceId: string;
  work: WindowWork;
}

/** Those who are read together when nothing is known of them: bounds what is in memory at once. */
const READ_AT_ONCE = 5;

/** When each of these is busy within a window: merged, clipped, sorted; by key. Rejects where that takes too much work. */
export async function busyTimes(
  { tx, cache, workspaceId, work }: Source,
  asked: readonly Busyable[],
  window: Interval,
): Promise<Map<string, BusyTime[]>> {
  const holders = [...new Set(asked.flatMap((one) => one.holders))];
  const versions = await listVersions(tx, workspaceId, holders);
  const pages = pagesOf(window);
  const found = new Map<string, BusyTime[]>();
  const unknown: (Busyable & Kept)[] = [];
  for (const one of asked) {
    const version = versionOf(one.holders, versions);
    const known = await fromPages(cache, { key: one.key, version, pages }, window, work);
    if (known) found.set(one.key, known);
    else unknown.push({ ...one, version, pages });
  }
  if (unknown.length > 0) await readUnknown({ tx, cache, workspaceId, work }, unknown, window, found);
  return found;
}

/** Reads those of whom something is not known, and keeps what is found. */
async function readUnknown(
  { tx, cache, workspaceId, work }: Source,
  unknown: readonly (Busyable & Kept)[],
  window: Interval,
  found: Map<string, BusyTime[]>,
): Promise<void> {
  const reading = new BusyReading(tx, workspaceId, boundsOf(unknown[0]?.pages ?? []), work);
  for (let i = 0; i < unknown.length; i += READ_AT_ONCE) {
    const some = unknown.slice(i, i + READ_AT_ONCE);
    for await (const [one, times] of reading.timesOf(some)) {
      found.set(one.key, await keptPages(cache, one, times, window));
    }
  }
}

/** Keeps the pages of times that were read; answers what lies within a window. Each minute of a year may be a time. */
async function keptPages(
  cache: BusyCache,
  one: Kept,
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

/** What is kept of somebody: some pages, as they are at one version. */
interface Kept {
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

/** Undefined where not all is known. */
async function fromPages(
  cache: BusyCache,
  { key, version, pages }: Kept,
  window: Interval,
  work: WindowWork,
): Promise<BusyTime[] | undefined> {
  const known = pages.map((page) => cache.get(key, version, page));
  if (known.includes(undefined)) return undefined;
  const times: BusyTime[] = [];
  for (const page of known) {
    work.tell(page?.length ?? 0);
    addPage(times, page ?? [], window);
    await giveWay();
  }
  return times;
}

/** Adds what of a page, which comes after all others, lies within a window. */
function addPage(times: BusyTime[], page: readonly BusyTime[], window: Interval): void {
  for (const time of page) addTime(times, time, window);
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

/** What of times lies on a page, for pages one after another: times are in order, so one walk divides them. */
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
