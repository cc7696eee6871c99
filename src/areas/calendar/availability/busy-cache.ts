import { Cache } from '../../../platform/cache.ts';
import { shownTime } from '../events/event-record.ts';
import type { Interval } from '../recurrence/intervals.ts';

/** A time at which somebody or something is busy, in milliseconds since the epoch. */
export class BusyTime implements Interval {
  readonly start: number;
  readonly end: number;
  #json: string | undefined;

  constructor({ start, end }: Interval) {
    this.start = start;
    this.end = end;
  }

  /** As an answer shows it: made once, for what is asked about is asked about again. */
  get json(): string {
    this.#json ??= `{"starts_at":"${shownTime(this.start)}","ends_at":"${shownTime(this.end)}"}`;
    return this.#json;
  }
}

/** Pages of time: what is known of somebody is known by pages of ten days. */
export const PAGE_MS = 10 * 86_400_000;

/** What a time takes with its text, in characters. */
const SIZE_OF_TIME = 100;
/** 250,000 times, over everybody. */
const ROOM = 250_000 * SIZE_OF_TIME;

/** When people and resources are busy, as long as their version is the same. */
export class BusyCache {
  readonly #pages: Cache<readonly BusyTime[]>;

  /** `room`: in characters of two bytes. */
  constructor(room = ROOM) {
    this.#pages = new Cache({ room });
  }

  /** The busy times of a page, cut at its ends, merged and sorted; undefined when they are not known. */
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
