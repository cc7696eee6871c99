import type { Area } from '../values.ts';

/** Thrown by a formula that asks for what is not known yet; it runs again when that is. */
export class Unknown extends Error {
  /** The formula that is waited for, or all within an area. */
  readonly wanted: number | Area;

  constructor(wanted: number | Area) {
    super();
    this.wanted = wanted;
  }
}

/** Thrown by a formula that has used up what one may take. */
export class TooMuch extends Error {}

/** Thrown when the time of the whole calculation is over; what is known by then stays known. */
export class OutOfTime extends Error {}

/** Thrown when others wait and the calculation has had its turn; the next call goes on. */
export class GaveWay extends OutOfTime {}

/** None of them is a fault: nobody reads where they came from. */
export function thrownLightly<Thrown>(make: () => Thrown): Thrown {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Steps that one formula may take: a computed value is one, so that this bounds memory too. */
const FORMULA_STEPS = 30_000_000;
const FORMULA_MS = 5_000;
/** Looking at the clock costs more than a step. */
const STEPS_A_LOOK = 10_000;
/** A calculation that others wait for goes on for so long. */
const TURN_MS = 50;

/** Whether others wait. */
export type AreOthersWaiting = () => boolean;

/** What a calculation may still spend. */
export class Budget {
  #steps = 0;
  #nextLook = STEPS_A_LOOK;
  #startedMs = 0;
  #endMs = Number.POSITIVE_INFINITY;
  #turnEndMs = Number.POSITIVE_INFINITY;
  #areOthersWaiting: AreOthersWaiting = () => false;
  #unlooked = 0;

  /** A calculation begins that ends at the latest so many milliseconds from now, and sooner where others wait. */
  start(forMs: number, areOthersWaiting: AreOthersWaiting): void {
    const now = performance.now();
    this.#endMs = now + forMs;
    this.#turnEndMs = now + TURN_MS;
    this.#areOthersWaiting = areOthersWaiting;
    this.#unlooked = 0;
  }

  /**
   * A formula begins to run.
   * @throws OutOfTime when the time of the calculation is over, GaveWay when others wait
   */
  startFormula(): void {
    this.#unlooked += this.#steps + 100;
    this.#steps = 0;
    this.#nextLook = STEPS_A_LOOK;
    this.#startedMs = 0;
    if (this.#unlooked < STEPS_A_LOOK) return;
    this.#unlooked = 0;
    this.#mayGoOn(performance.now());
  }

  /**
   * Counts steps of the formula; of none it looks at the clock all the same.
   * @throws TooMuch when it has taken more than one formula may
   * @throws OutOfTime when the time of the calculation is over, GaveWay when others wait
   */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > FORMULA_STEPS) throw thrownLightly(() => new TooMuch());
    if (this.#steps > this.#nextLook || steps === 0) this.#look();
  }

  #look(): void {
    this.#nextLook = this.#steps + STEPS_A_LOOK;
    const now = performance.now();
    this.#startedMs ||= now;
    this.#mayGoOn(now);
    if (now > this.#startedMs + FORMULA_MS) throw thrownLightly(() => new TooMuch());
  }

  #mayGoOn(now: number): void {
    if (now > this.#endMs) throw new OutOfTime('the calculation takes too long');
    if (now > this.#turnEndMs && this.#areOthersWaiting()) throw thrownLightly(() => new GaveWay());
  }
}
