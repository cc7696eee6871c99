import { ShortTurns } from '../../turns/short-turns.ts';
import { SHORT_HALF_LIFE_MS, Usage } from '../../turns/usage.ts';

/** A waiting write. */
export interface WaitingWrite {
  /** The user on whose behalf it is. */
  readonly whom: string;
  /** Whether it needs its own batch. */
  readonly alone: boolean;
}

/**
 * The queue of the one writer. Writes of the user who recently used the writer least go first; writes of one user keep
 * their order. So slow writes of one user delay another user by at most one write.
 */
export class WaitingWrites<Write extends WaitingWrite> {
  readonly #usage = new Usage(SHORT_HALF_LIFE_MS);
  readonly #lines = new ShortTurns<Write>(this.#usage);
  /** Writes to be repeated: they have had their turn and go first. */
  #repeated: Write[] = [];

  get size(): number {
    return this.#repeated.length + this.#lines.size;
  }

  add(write: Write): void {
    this.#lines.add(write.whom, write);
  }

  /** Puts writes back, in their order, before all others. */
  repeat(writes: readonly Write[]): void {
    this.#repeated.unshift(...writes);
  }

  /** The next write; none that needs its own batch if `isBesideOthers`. */
  take(isBesideOthers: boolean): Write | undefined {
    if (this.#repeated.length === 0) return this.#lines.take();
    return isBesideOthers && this.#repeated[0]?.alone ? undefined : this.#repeated.shift();
  }

  /** Removes and returns all waiting writes. */
  takeAll(): Write[] {
    return Array.from({ length: this.size }, () => this.take(false)).filter((write) => write !== undefined);
  }

  /** Charges the time that a write has used the writer to its user. */
  charge({ whom }: Write, ms: number): void {
    this.#usage.add(whom, ms);
  }
}
