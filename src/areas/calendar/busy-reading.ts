import type { ReadTransaction } from '../../storage/database.ts';
import { Turns } from '../../turns/turns.ts';
import type { BusyPattern } from './busy-patterns.ts';
import type { Meeting } from './definition.ts';
import { type EventRow, findEvents } from './event-store.ts';
import type { Interval } from './intervals.ts';
import { occurrences } from './occurrences.ts';
import { PatternTimes } from './pattern-times.ts';
import { definitionOf } from './saving.ts';
import { listBusyPatterns } from './span-store.ts';
import { TimesWithin } from './times-within.ts';

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
  readonly #turns = new Turns();

  constructor(tx: ReadTransaction, workspaceId: string, window: Interval) {
    this.#tx = tx;
    this.#workspaceId = workspaceId;
    this.#window = window;
    this.#patternTimes = new PatternTimes(window);
    this.#times = new TimesWithin(window);
  }

  /** When each is busy, merged and in order. */
  async *timesOf<H extends Holding>(some: readonly H[]): AsyncGenerator<[H, Interval[]]> {
    const holders = [...new Set(some.flatMap((one) => one.holders))];
    const texts = await listBusyPatterns(this.#tx, this.#workspaceId, holders, this.#window);
    const patterns = new Map(holders.map((holder) => [holder, parsed(texts.get(holder) ?? [])]));
    const events = await this.#eventsAmong([...patterns.values()].flat());
    for (const one of some) {
      await this.#turns.next();
      for (const holder of one.holders)
        for (const pattern of patterns.get(holder) ?? []) this.#add(one, pattern, events);
      yield [one, this.#times.takeUnion()];
    }
  }

  async #eventsAmong(patterns: readonly BusyPattern[]): Promise<Map<string, EventRow>> {
    const ids = new Set(patterns.filter((pattern) => typeof pattern === 'string'));
    const rows = await findEvents(this.#tx, this.#workspaceId, [...ids]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  #add(one: Holding, pattern: BusyPattern, events: ReadonlyMap<string, EventRow>): void {
    if (typeof pattern !== 'string') {
      this.#patternTimes.addTo(this.#times, pattern);
      return;
    }
    const row = events.get(pattern);
    if (!row) throw new TypeError(`${pattern} has a span and is no event`);
    for (const { start, end, meeting } of occurrences(definitionOf(row), row.time_zone, this.#window))
      if (one.isKeptBusyBy(meeting, row.user_id)) this.#times.add(start / 1000, end / 1000);
  }
}

function parsed(texts: readonly string[]): BusyPattern[] {
  return JSON.parse(`[${texts.join(',')}]`);
}
