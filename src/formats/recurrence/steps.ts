import { InvalidRule } from './rule.ts';

/**
 * How much may be looked at to find what rules name: their periods, days and times, of which each counts one. Rules are
 * short and may keep a processor busy for minutes; what several rules share bounds them together.
 */
export class Steps {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  static unlimited(): Steps {
    return new Steps(Number.POSITIVE_INFINITY);
  }

  /** Throws InvalidRule when there are no more. */
  take(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new InvalidRule('to find what the rule names takes too long');
  }
}
