import type { ReadTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { EventDefinition, Meeting } from '../events/definition.ts';
import { findEvents } from '../events/event-store.ts';
import { definitionOf } from '../events/saving.ts';
import type { Interval } from '../recurrence/intervals.ts';
import { PatternTimes } from '../recurrence/pattern-times.ts';
import { listBusyPatterns } from '../recurrence/span-store.ts';
import { TimesWithin } from '../recurrence/times-within.ts';
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
export interface Holding {
  /** What its events are held by. */
  holders: readonly string[];
  isKeptBusyBy(meeting: Meeting, ownerId: string): boolean;
}

/** Reads from the store when people and resources are busy within a window (milliseconds since the epoch). */
export class BusyReading {
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
