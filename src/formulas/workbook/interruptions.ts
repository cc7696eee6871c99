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
