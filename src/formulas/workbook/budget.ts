import { OutOfTime, TooMuch, thrownLightly } from './interruptions.ts';

/** Steps that one formula may take: a computed value is one, so that this bounds memory too. */
const FORMULA_STEPS = 30_000_000;
const FORMULA_MS = 5_000;
/** Looking at the clock costs more than a step. */
const STEPS_A_LOOK = 100_000;

/** What a calculation may still spend. */
export class Budget {
  #steps = 0;
  #nextLook = STEPS_A_LOOK;
  #startedMs = 0;
  #endMs = Number.POSITIVE_INFINITY;
  #unlooked = 0;

  /** A calculation begins that ends at the latest so many milliseconds from now. */
  start(forMs: number): void {
    this.#endMs = performance.now() + forMs;
    this.#unlooked = 0;
  }

  /**
   * A formula begins to run.
   * @throws OutOfTime when the time of the calculation is over
   */
  startFormula(): void {
    this.#unlooked += this.#steps + 100;
    this.#steps = 0;
    this.#nextLook = STEPS_A_LOOK;
    this.#startedMs = 0;
    if (this.#unlooked < STEPS_A_LOOK) return;
    this.#unlooked = 0;
    if (performance.now() > this.#endMs) throw new OutOfTime('the calculation takes too long');
  }

  /**
   * Counts steps of the formula.
   * @throws TooMuch when it has taken more than one formula may
   * @throws OutOfTime when the time of the calculation is over
   */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > FORMULA_STEPS) throw thrownLightly(() => new TooMuch());
    if (this.#steps > this.#nextLook) this.#look();
  }

  #look(): void {
    this.#nextLook = this.#steps + STEPS_A_LOOK;
    const now = performance.now();
    this.#startedMs ||= now;
    if (now > this.#endMs) throw new OutOfTime('the calculation takes too long');
    if (now > this.#startedMs + FORMULA_MS) throw thrownLightly(() => new TooMuch());
  }
}
