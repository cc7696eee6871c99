import { Cache } from '../../../platform/cache.ts';
import type { BusyTime } from './busy-time.ts';

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
