import { setImmediate as nextTurn } from 'node:timers/promises';

const LONGEST_TURN_MS = 10;

/** Long work that waits for nothing, taken in turns: in between, other requests have theirs. */
export class Turns {
  #endsAt = performance.now() + LONGEST_TURN_MS;

  /** To be awaited between one piece of the work and the next. */
  async next(): Promise<void> {
    if (performance.now() < this.#endsAt) return;
    await nextTurn();
    this.#endsAt = performance.now() + LONGEST_TURN_MS;
  }
}
