import type { BusyTime } from './busy-time.ts';

/** Pages of time: what is known of somebody is known by pages of ten days. */
export const PAGE_MS = 10 * 86_400_000;

/** Times that are kept at once, over everybody; some two hundred bytes each with their text. */
const MOST_TIMES = 250_000;

interface Known {
  version: string;
  pages: Map<number, readonly BusyTime[]>;
  weight: number;
}

/**
 * When people and resources are busy, as long as their version is the same. Who was read longest ago is forgotten
 * first.
 */
export class BusyCache {
  readonly #known = new Map<string, Known>();
  readonly #most: number;
  #weight = 0;

  constructor(most = MOST_TIMES) {
    this.#most = most;
  }

  /** The busy times of a page, cut at its ends, merged and sorted; undefined when they are not known. */
  get(key: string, version: string, page: number): readonly BusyTime[] | undefined {
    const known = this.#known.get(key);
    if (known?.version !== version) return undefined;
    return known.pages.get(page);
  }

  set(key: string, version: string, page: number, times: readonly BusyTime[]): void {
    const known = this.#taken(key, version);
    const weight = times.length - (known.pages.get(page)?.length ?? -1);
    known.pages.set(page, times);
    known.weight += weight;
    this.#weight += weight;
    this.#known.set(key, known);
    this.#forget();
  }

  /** What is known of the key at this version, to be put at the end of the order. */
  #taken(key: string, version: string): Known {
    const known = this.#known.get(key);
    this.#known.delete(key);
    if (known?.version === version) return known;
    this.#weight -= known?.weight ?? 0;
    return { version, pages: new Map(), weight: 0 };
  }

  #forget(): void {
    for (const [key, { weight }] of this.#known) {
      if (this.#weight <= this.#most) return;
      this.#known.delete(key);
      this.#weight -= weight;
    }
  }
}
