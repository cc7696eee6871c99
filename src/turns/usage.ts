const USUAL_HALF_LIFE_MS = 30_000;
/**
 * For turns that everybody needs all the time: under steady load, a user with much usage gets a turn again after
 * seconds, not minutes.
 */
export const SHORT_HALF_LIFE_MS = 1_000;
/** Number of users before those with negligible usage are removed. */
const REMOVAL_THRESHOLD = 1_000;
const NOTHING_MS = 1;

/** The recent time that each user has used, of threads or a connection for example. */
export class Usage {
  readonly #used = new Map<string, { ms: number; atMs: number }>();
  readonly #halfLifeMs: number;
  /** Limit for the next removal. It grows if no user could be removed, so that not every `add` scans all users. */
  #removalThreshold = REMOVAL_THRESHOLD;

  /** Recorded time counts half after `halfLifeMs`. */
  constructor(halfLifeMs = USUAL_HALF_LIFE_MS) {
    this.#halfLifeMs = halfLifeMs;
  }

  /** Milliseconds, older ones weighted less. Pass `nowMs` when querying many users at once. */
  of(user: string, nowMs = performance.now()): number {
    const used = this.#used.get(user);
    return used === undefined ? 0 : used.ms * 0.5 ** (Math.max(nowMs - used.atMs, 0) / this.#halfLifeMs);
  }

  /** Ranks users in the order of their usage. Only `add` changes a rank, because all usage decays alike. */
  rankOf(user: string): number {
    const used = this.#used.get(user);
    return used === undefined ? Number.NEGATIVE_INFINITY : Math.log2(used.ms) + used.atMs / this.#halfLifeMs;
  }

  add(user: string, ms: number): void {
    const nowMs = performance.now();
    this.#used.set(user, { ms: this.of(user, nowMs) + Math.max(ms, 0), atMs: nowMs });
    if (this.#used.size > this.#removalThreshold) this.#forget(nowMs);
  }

  #forget(nowMs: number): void {
    for (const user of this.#used.keys()) if (this.of(user, nowMs) < NOTHING_MS) this.#used.delete(user);
    this.#removalThreshold = Math.max(REMOVAL_THRESHOLD, 2 * this.#used.size);
  }
}
