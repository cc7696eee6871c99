import { type CalendarDay, daysInMonth, fromSerial, toSerial } from '../../serial-date.ts';
import { type Basis, daysBetween } from './day-basis.ts';

export type Frequency = 1 | 2 | 4;

export function isFrequency(given: number): given is Frequency {
  return given === 1 || given === 2 || given === 4;
}

/** The day so many months on; from the last day of a month to the last day. */
export function monthsFrom(serial: number, months: number): number {
  const { year, month, day }: CalendarDay = fromSerial(serial);
  const isLast = day === daysInMonth(year, month);
  const count = year * 12 + month - 1 + months;
  const [targetYear, targetMonth] = [Math.floor(count / 12), (count % 12) + 1];
  const length = daysInMonth(targetYear, targetMonth);
  return toSerial(targetYear, targetMonth, isLast ? length : Math.min(day, length));
}

/** The coupon days around a settlement, counted back from the maturity. */
export interface Coupons {
  readonly previous: number;
  readonly next: number;
  /** How many are paid after the settlement. */
  readonly count: number;
}

export function couponsAround(settlement: number, maturity: number, frequency: Frequency): Coupons {
  const step = 12 / frequency;
  const [from, to] = [fromSerial(settlement), fromSerial(maturity)];
  let count = Math.max(0, Math.floor(((to.year - from.year) * 12 + to.month - from.month) / step) - 1);
  while (monthsFrom(maturity, -count * step) > settlement) count += 1;
  return {
    previous: monthsFrom(maturity, -count * step),
    next: monthsFrom(maturity, -(count - 1) * step),
    count,
  };
}

/** How many days a coupon period counts. */
export function periodDays({ previous, next }: Coupons, frequency: Frequency, basis: Basis): number {
  if (basis === 1) return next - previous;
  return (basis === 3 ? 365 : 360) / frequency;
}

/** Days from the coupon before a settlement to it. */
export function daysBefore({ previous }: Coupons, settlement: number, basis: Basis): number {
  return daysBetween(previous, settlement, basis);
}

/** Days from a settlement to the next coupon; of months of 30 days what the period leaves. */
export function daysAfter(coupons: Coupons, settlement: number, frequency: Frequency, basis: Basis): number {
  if (basis === 0) return periodDays(coupons, frequency, basis) - daysBefore(coupons, settlement, basis);
  return daysBetween(settlement, coupons.next, basis);
}
