import { type Basis, daysBetween } from './day-basis.ts';
import { type Frequency, monthsFrom, periodDays } from './schedule.ts';

/** How many coupon periods lie between two days, by a schedule through a coupon day; broken ones as parts. */
export function periodsBetween(
  from: number,
  to: number,
  coupon: number,
  frequency: Frequency,
  basis: Basis,
): number {
  const step = 12 / frequency;
  let k = Math.floor(((from - coupon) / 366) * frequency) - 1;
  while (monthsFrom(coupon, (k + 1) * step) <= from) k += 1;
  let periods = 0;
  for (; monthsFrom(coupon, k * step) < to; k += 1) {
    const [previous, next] = [monthsFrom(coupon, k * step), monthsFrom(coupon, (k + 1) * step)];
    const days = daysBetween(Math.max(from, previous), Math.min(to, next), basis);
    periods += days / periodDays({ previous, next, count: 1 }, frequency, basis);
  }
  return periods;
}
