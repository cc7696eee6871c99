import { processorTimeMs } from '../../platform/processor-time.ts';
import type { Area } from '../values.ts';

/** Thrown when a formula needs a stale value; the formula runs again once the value is calculated. */
export class Unknown extends Error {
  /** The formula to calculate first, or the area whose formulas to calculate. */
  readonly wanted: number | Area;

  constructor(wanted: number | Area) {
    super();
    this.wanted = wanted;
  }
}

/** Thrown when a formula exceeds the limits of one formula. */
export class TooMuch extends Error {}

/** Thrown when the time of the whole calculation is over; calculated values stay. */
export class OutOfTime extends Error {}

/** Thrown when others wait and the calculation has used its turn; the next call continues. */
export class GaveWay extends OutOfTime {}

/** Creates an error without a stack trace: these errors control the flow and report no fault. */
export function withoutStackTrace<Thrown>(make: () => Thrown): Thrown {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Most steps of one formula. A computed value is one step, so this bounds memory too. */
const FORMULA_STEPS = 30_000_000;
/** Of processor time: what a formula gives must not depend on what else the machine does. */
const FORMULA_MS = 5_000;
/** A clock check costs more than a step. */
const STEPS_PER_CHECK = 10_000;
/** A calculation that others wait for yields after this time. */
const TURN_MS = 50;

/** Whether others wait. */
export type AreOthersWaiting = () => boolean;

/** The remaining budget of a calculation. */
export class Budget {
  #steps = 0;
  #nextCheck = STEPS_PER_CHECK;
  #startedMs = 0;
  #endMs = Number.POSITIVE_INFINITY;
  #turnEndMs = Number.POSITIVE_INFINITY;
  #areOthersWaiting: AreOthersWaiting = () => false;
  #uncheckedSteps = 0;

  /** Starts a calculation that may take `forMs` milliseconds, less when others wait. */
  start(forMs: number, areOthersWaiting: AreOthersWaiting): void {
    const now = performance.now();
    this.#endMs = now + forMs;
    this.#turnEndMs = now + TURN_MS;
    this.#areOthersWaiting = areOthersWaiting;
    this.#uncheckedSteps = 0;
  }

  /**
   * Starts a formula.
   * @throws OutOfTime when the time of the calculation is over, GaveWay when others wait
   */
  startFormula(): void {
    this.#uncheckedSteps += this.#steps + 100;
    this.#steps = 0;
    this.#nextCheck = STEPS_PER_CHECK;
    this.#startedMs = 0;
    if (this.#uncheckedSteps < STEPS_PER_CHECK) return;
    this.#uncheckedSteps = 0;
    this.#checkTime(performance.now());
  }

  /**
   * Counts steps of the formula; with 0 steps it only checks the clock.
   * @throws TooMuch when the formula exceeds its limit
   * @throws OutOfTime when the time of the calculation is over, GaveWay when others wait
   */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > FORMULA_STEPS) throw withoutStackTrace(() => new TooMuch());
    if (this.#steps > this.#nextCheck || steps === 0) this.#checkClock();
  }

  #checkClock(): void {
    this.#nextCheck = this.#steps + STEPS_PER_CHECK;
    this.#checkTime(performance.now());
    const now = processorTimeMs();
    this.#startedMs ||= now;
    if (now > this.#startedMs + FORMULA_MS) throw withoutStackTrace(() => new TooMuch());
  }

  #checkTime(now: number): void {
    if (now > this.#endMs) throw new OutOfTime('the calculation takes too long');
    if (now > this.#turnEndMs && this.#areOthersWaiting()) throw withoutStackTrace(() => new GaveWay());
  }
}
