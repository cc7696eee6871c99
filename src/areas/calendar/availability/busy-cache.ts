import { Cache } from '../../../platform/cache.ts';
import { shownTime } from '../events/event-record.ts';
import type { Interval } from '../recurrence/intervals.ts';

/** A busy time of a person or resource, in milliseconds since the epoch. */
export class BusyTime implements Interval {
  readonly start: number;
  readonly end: number;
  #json: string | undefined;

  constructor({ start, end }: Interval) {
    this.start = start;
    this.end = end;
  }

  /** The JSON of an answer, cached because the same times are queried again and again. */
  get json(): string {
    this.#json ??= `{"starts_at":"${shownTime(this.start)}","ends_at":"${shownTime(this.end)}"}`;
    return this.#json;
  }
}

/** Length of a page: busy times are cached in pages of ten days. */
export const PAGE_MS = 10 * 86_400_000;

/** Estimated memory of a busy time with its text, in characters. */
const SIZE_OF_TIME = 100;
/** Room for 250,000 busy times in all. */
const ROOM = 250_000 * SIZE_OF_TIME;

/** Caches busy times of people and resources; the key contains the version of their busy times. */
export class BusyCache {
  readonly #pages: Cache<readonly BusyTime[]>;

  /** `room`: in characters of two bytes. */
  constructor(room = ROOM) {
    this.#pages = new Cache({ room });
  }

  /** The busy times of a page, clipped to it, merged and sorted; undefined if they are not cached. */
  get(key: string, version: string, page: number): readonly BusyTime[] | undefined {
    return this.#pages.get(keyOf(key, version, page));
  }

  set(key: string, version: string, page: number, times: readonly BusyTime[]): void {
    this.#pages.set(keyOf(key, version, page), times, times.length * SIZE_OF_TIME);
  }
}

function keyOf(key: string, version: string, page: number): string {
  return `${page} ${key} ${version}`;
}
