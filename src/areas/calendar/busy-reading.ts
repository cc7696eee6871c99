import type { ReadTransaction } from '../../storage/database.ts';
import type { BusyPattern } from './busy-patterns.ts';
import type { EventDefinition, Meeting } from './definition.ts';
import { type EventRow, findEvents } from './event-store.ts';
import type { Interval } from './intervals.ts';
import { PatternTimes } from './pattern-times.ts';
import { definitionOf } from './saving.ts';
import { listBusyPatterns } from './span-store.ts';
import { TimesWithin } from './times-within.ts';
import { WindowWork, windowTooLarge } from './window-work.ts';

interface ReadEvent {
  readonly row: EventRow;
  readonly definition: EventDefinition;
}

/** Events that are in memory at once. */
const EVENTS_AT_ONCE = 500;
const PATTERNS_A_TURN = 50;

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
  readonly #work = new WindowWork(windowTooLarge({ pointer: '/end' }));

  constructor(tx: ReadTransaction, workspaceId: string, window: Interval) {
    this.#tx = tx;
    this.#workspaceId = workspaceId;
    this.#window = window;
    this.#patternTimes = new PatternTimes(window);
    this.#times = new TimesWithin(window);
  }

  /** When each is busy, merged and in order. Rejects with ApiError validation_failed where that takes too long. */
  async *timesOf<H extends Holding>(some: readonly H[]): AsyncGenerator<[H, Interval[]]> {
    const holders = [...new Set(some.flatMap((one) => one.holders))];
    const texts = await listBusyPatterns(this.#tx, this.#workspaceId, holders, this.#window);
    const patterns = new Map(holders.map((holder) => [holder, parsed(texts.get(holder) ?? [])]));
    const ids = [...new Set([...patterns.values()].flat().filter((pattern) => typeof pattern === 'string'))];
    // Most ask about few events, which some of them share.
    const shared = ids.length <= EVENTS_AT_ONCE ? await this.#eventsOf(ids) : undefined;
    for (const one of some) {
      const own = one.holders.flatMap((holder) => patterns.get(holder) ?? []);
      await this.#addPatterns(own.filter((pattern) => typeof pattern !== 'string'));
      await this.#addEvents(
        one,
        own.filter((pattern) => typeof pattern === 'string'),
        shared,
      );
      const times = this.#times.takeUnion();
      this.#work.tell(times.length);
      yield [one, times];
    }
  }

  async #addPatterns(patterns: readonly Exclude<BusyPattern, string>[]): Promise<void> {
    for (const [i, pattern] of patterns.entries()) {
      this.#patternTimes.addTo(this.#times, pattern);
      if (i % PATTERNS_A_TURN === 0) await this.#work.turns.next();
    }
  }

  async #addEvents(
    one: Holding,
    ids: readonly string[],
    shared: ReadonlyMap<string, ReadEvent> | undefined,
  ): Promise<void> {
    for (let i = 0; i < ids.length; i += EVENTS_AT_ONCE) {
      const some = ids.slice(i, i + EVENTS_AT_ONCE);
      const events = shared ?? (await this.#eventsOf(some));
      for (const id of some) await this.#addEvent(one, id, events.get(id));
    }
  }

  async #addEvent(one: Holding, id: string, event: ReadEvent | undefined): Promise<void> {
    if (!event) throw new TypeError(`${id} has a span and is no event`);
    const { row, definition } = event;
    // A meeting lists whom it lists at each of its times.
    const kept = new Map<Meeting, boolean>();
    await this.#work.eachOccurrence(definition, row.time_zone, this.#window, ({ start, end, meeting }) => {
      const isKept = kept.get(meeting) ?? one.isKeptBusyBy(meeting, row.user_id);
      kept.set(meeting, isKept);
      if (isKept) this.#times.add(start / 1000, end / 1000);
    });
  }

  /** Read once for all who share them. */
  async #eventsOf(ids: readonly string[]): Promise<Map<string, ReadEvent>> {
    const events = new Map<string, ReadEvent>();
    for (const row of await findEvents(this.#tx, this.#workspaceId, ids)) {
      events.set(row.id, { row, definition: definitionOf(row) });
      await this.#work.turns.next();
    }
    return events;
  }
}

function parsed(texts: readonly string[]): BusyPattern[] {
  return JSON.parse(`[${texts.join(',')}]`);
}
