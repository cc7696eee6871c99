const USUAL_HALF_LIFE_MS = 30_000;
/**
 * For turns that everybody needs all the time: while many others go on without a pause, who has had much comes again after
 * some seconds, not after minutes.
 */
export const SHORT_HALF_LIFE_MS = 1_000;
/** So many are remembered before those who have used next to nothing are forgotten. */
const REMEMBERED = 1_000;
const NOTHING_MS = 1;

/** How much time each has used of late: of threads, of a connection. */
export class Usage {
  readonly #used = new Map<string, { ms: number; atMs: number }>();
  readonly #halfLifeMs: number;
  /** Where nobody could be forgotten, not each work is to look through all of them again. */
  #remembered = REMEMBERED;

  /** After `halfLifeMs`, what somebody has used counts half. */
  constructor(halfLifeMs = USUAL_HALF_LIFE_MS) {
    this.#halfLifeMs = halfLifeMs;
  }

  /** Milliseconds, of which those of long ago count less; `nowMs` is for who asks about many at once. */
  of(whom: string, nowMs = performance.now()): number {
    const used = this.#used.get(whom);
    return used === undefined ? 0 : used.ms * 0.5 ** (Math.max(nowMs - used.atMs, 0) / this.#halfLifeMs);
  }

  /** Who has used more has a higher rank, and keeps it while all forget: it changes by `add` alone. */
  rankOf(whom: string): number {
    const used = this.#used.get(whom);
    return used === undefined ? Number.NEGATIVE_INFINITY : Math.log2(used.ms) + used.atMs / this.#halfLifeMs;
  }

  add(whom: string, ms: number): void {
    const nowMs = performance.now();
    this.#used.set(whom, { ms: this.of(whom, nowMs) + Math.max(ms, 0), atMs: nowMs });
    if (this.#used.size > this.#remembered) this.#forget(nowMs);
  }

  #forget(nowMs: number): void {
    for (const whom of this.#used.keys()) if (this.of(whom, nowMs) < NOTHING_MS) this.#used.delete(whom);
    this.#remembered = Math.max(REMEMBERED, 2 * this.#used.size);
  }
}
