import { nextTurn } from './next-turn.ts';

const LONGEST_TURN_MS = 10;

/** Long work that waits for nothing, taken in turns: in between, other requests have theirs. */
export class Turns {
  #endsAt = performance.now() + LONGEST_TURN_MS;

  /** Whether the next turn is due: for work whose pieces are smaller than what it takes to await. */
  get areDue(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** To be awaited between one piece of the work and the next. */
  async next(): Promise<void> {
    if (!this.areDue) return;
    await nextTurn();
    this.#endsAt = performance.now() + LONGEST_TURN_MS;
  }
}
