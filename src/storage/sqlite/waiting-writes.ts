import { ShortTurns } from '../../turns/short-turns.ts';
import { SHORT_HALF_LIFE_MS, Usage } from '../../turns/usage.ts';

/** A write that waits, and for whom it is. */
export interface WaitingWrite {
  readonly whom: string;
  /** In a batch of its own. */
  readonly alone: boolean;
}

/**
 * Writes that wait for the one writer: those of who has had the least of it go first, and of one they keep their order.
 * So the slow writes of one user hold up those of another no longer than one of them takes.
 */
export class WaitingWrites<Write extends WaitingWrite> {
  readonly #usage = new Usage(SHORT_HALF_LIFE_MS);
  readonly #lines = new ShortTurns<Write>(this.#usage);
  /** Those that are to be repeated: they have had their turn, and are ahead of all others. */
  #repeated: Write[] = [];

  get size(): number {
    return this.#repeated.length + this.#lines.size;
  }

  add(write: Write): void {
    this.#lines.add(write.whom, write);
  }

  /** Has writes come again, in their order, before all others. */
  repeat(writes: readonly Write[]): void {
    this.#repeated.unshift(...writes);
  }

  /** What is next; beside others, nothing that is to be alone. */
  take(isBesideOthers: boolean): Write | undefined {
    if (this.#repeated.length === 0) return this.#lines.take();
    return isBesideOthers && this.#repeated[0]?.alone ? undefined : this.#repeated.shift();
  }

  /** Everything that waits. */
  takeAll(): Write[] {
    return Array.from({ length: this.size }, () => this.take(false)).filter((write) => write !== undefined);
  }

  /** Counts the time that a write has had of the writer. */
  used({ whom }: Write, ms: number): void {
    this.#usage.add(whom, ms);
  }
}
