import { type Basis, daysBetween } from './day-basis.ts';
import { type Frequency, monthsFrom, periodDays } from './schedule.ts';

/** A coupon period, and which part of it lies between two days. */
export interface PeriodPart {
  readonly previous: number;
  readonly next: number;
  readonly from: number;
  readonly to: number;
}

/** How much of a coupon period a part of it is. */
export type Measure = (part: PeriodPart, frequency: Frequency, basis: Basis) => number;

/** Days by what a period counts by its basis, whatever it has. */
export const byNormalLength: Measure = ({ previous, next, from, to }, frequency, basis) =>
  daysBetween(from, to, basis) / periodDays({ previous, next, count: 1 }, frequency, basis);

/** The same, but a whole period is one. */
export const byNormalLengthOrWhole: Measure = (part, frequency, basis) =>
  part.from === part.previous && part.to === part.next ? 1 : byNormalLength(part, frequency, basis);

/** Days by the days that the period has. */
export const byOwnLength: Measure = ({ previous, next, from, to }, _, basis) =>
  daysBetween(from, to, basis) / daysBetween(previous, next, basis);

/** How many coupon periods lie between two days, by a schedule through a coupon day; broken ones as parts. */
export function periodsBetween(
  from: number,
  to: number,
  { coupon, frequency, basis }: { coupon: number; frequency: Frequency; basis: Basis },
  measure: Measure,
): number {
  const step = 12 / frequency;
  let k = Math.floor(((from - coupon) / 366) * frequency) - 1;
  while (monthsFrom(coupon, (k + 1) * step) <= from) k += 1;
  let periods = 0;
  for (; monthsFrom(coupon, k * step) < to; k += 1) {
    const [previous, next] = [monthsFrom(coupon, k * step), monthsFrom(coupon, (k + 1) * step)];
    const part = { previous, next, from: Math.max(from, previous), to: Math.min(to, next) };
    periods += measure(part, frequency, basis);
  }
  return periods;
}
