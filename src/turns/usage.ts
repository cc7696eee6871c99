/** After this long, what somebody has used counts half. */
const HALF_LIFE_MS = 30_000;
/** So many are remembered before those who have used next to nothing are forgotten. */
const REMEMBERED = 1_000;
const NOTHING_MS = 1;

/** How much time of threads each has used of late. */
export class Usage {
  readonly #used = new Map<string, { ms: number; atMs: number }>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Milliseconds, of which those of long ago count less. */
  of(whom: string): number {
    const used = this.#used.get(whom);
    return used === undefined ? 0 : used.ms * 0.5 ** ((this.#now() - used.atMs) / HALF_LIFE_MS);
  }

  add(whom: string, ms: number): void {
    this.#used.set(whom, { ms: this.of(whom) + ms, atMs: this.#now() });
    if (this.#used.size > REMEMBERED) this.#forget();
  }

  #forget(): void {
    for (const whom of this.#used.keys()) if (this.of(whom) < NOTHING_MS) this.#used.delete(whom);
  }
}
