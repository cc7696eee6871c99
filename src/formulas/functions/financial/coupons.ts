import { finiteOrError } from '../../conversions.ts';
import { type CalendarDay, daysInMonth, fromSerial, isSerial, toSerial } from '../../serial-date.ts';
import { CellError, ERROR, type NumericResult } from '../../values.ts';
import { days360, days360OfYears, yearLength } from '../datetime/differences.ts';
import type { FormulaFunction } from '../function.ts';

/** Day count conventions: 0 US 30/360, 1 actual/actual, 2 actual/360, 3 actual/365, 4 European 30/360. */
export type Basis = 0 | 1 | 2 | 3 | 4;

export function isBasis(given: number): given is Basis {
  return [0, 1, 2, 3, 4].includes(given);
}

/** Days from one serial number to a later one. */
export function daysBetween(from: number, to: number, basis: Basis): number {
  if (basis === 0) return days360OfYears(fromSerial(from), fromSerial(to));
  return basis === 4 ? days360(fromSerial(from), fromSerial(to), 'european') : to - from;
}

/** Years between two serial numbers, as YEARFRAC counts them. */
export function yearsBetween(one: number, other: number, basis: Basis): number {
  const [from, to] = [Math.min(one, other), Math.max(one, other)];
  return daysBetween(from, to, basis) / daysOfYear(fromSerial(from), fromSerial(to), basis);
}

function daysOfYear(from: CalendarDay, to: CalendarDay, basis: Basis): number {
  if (basis === 1) return yearLength(from, to);
  return basis === 3 ? 365 : 360;
}

export type Frequency = 1 | 2 | 4;

export function isFrequency(given: number): given is Frequency {
  return given === 1 || given === 2 || given === 4;
}

/** The day so many months later; the last day of a month leads to the last day of a month. */
export function monthsFrom(serial: number, months: number): number {
  const { year, month, day }: CalendarDay = fromSerial(serial);
  const isLast = day === daysInMonth(year, month);
  const count = year * 12 + month - 1 + months;
  const [targetYear, targetMonth] = [Math.floor(count / 12), (count % 12) + 1];
  const length = daysInMonth(targetYear, targetMonth);
  return toSerial(targetYear, targetMonth, isLast ? length : Math.min(day, length));
}

/** The coupon days around a settlement, counted back from the maturity. */
interface Coupons {
  readonly previous: number;
  readonly next: number;
  /** The number of coupons after the settlement. */
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

/** The number of days of a coupon period. */
export function periodDays({ previous, next }: Coupons, frequency: Frequency, basis: Basis): number {
  if (basis === 1) return next - previous;
  return (basis === 3 ? 365 : 360) / frequency;
}

/** Days from the last coupon to the settlement. */
export function daysBefore({ previous }: Coupons, settlement: number, basis: Basis): number {
  return daysBetween(previous, settlement, basis);
}

/** Days from the settlement to the next coupon; with months of 30 days the remainder of the period. */
export function daysAfter(coupons: Coupons, settlement: number, frequency: Frequency, basis: Basis): number {
  if (basis === 0) return periodDays(coupons, frequency, basis) - daysBefore(coupons, settlement, basis);
  return daysBetween(settlement, coupons.next, basis);
}

/** The settlement, the maturity and the day count convention of a security. */
export interface Term {
  readonly settlement: number;
  readonly maturity: number;
  readonly basis: Basis;
}
export interface CouponTerm extends Term {
  readonly frequency: Frequency;
}

/**
 * Makes a term from serial numbers and a basis; #NUM! when they are invalid or the maturity is not after the
 * settlement.
 */
export function termOf(settlement: number, maturity: number, basis = 0): Term | CellError {
  const [from, to, count] = [Math.trunc(settlement), Math.trunc(maturity), Math.trunc(basis)];
  if (!isSerial(from) || !isSerial(to) || from >= to || !isBasis(count)) return ERROR['#NUM!'];
  return { settlement: from, maturity: to, basis: count };
}

/** Defines a function of a settlement, a maturity, `count` more numbers and an optional basis. */
export function paper(
  name: string,
  count: number,
  compute: (term: Term, ...given: number[]) => NumericResult,
): FormulaFunction {
  return serial(name, count + 2, count + 3, (settlement, maturity, ...rest) => {
    const term = termOf(settlement, maturity, rest[count]);
    return term instanceof CellError ? term : compute(term, ...rest.slice(0, count));
  });
}

/** Defines a function of a settlement, a maturity, `count` more numbers, a frequency and an optional basis. */
export function bond(
  name: string,
  count: number,
  compute: (term: CouponTerm, ...given: number[]) => NumericResult,
): FormulaFunction {
  return serial(name, count + 3, count + 4, (settlement, maturity, ...rest) => {
    const term = termOf(settlement, maturity, rest[count + 1]);
    const frequency = Math.trunc(rest[count] ?? 0);
    if (term instanceof CellError) return term;
    return isFrequency(frequency) ? compute({ ...term, frequency }, ...rest.slice(0, count)) : ERROR['#NUM!'];
  });
}

function serial(
  name: string,
  least: number,
  most: number,
  compute: (settlement: number, maturity: number, ...rest: number[]) => NumericResult,
): FormulaFunction {
  return {
    name,
    parameters: new Array(most).fill('number'),
    required: least,
    call: ([settlement = 0, maturity = 0, ...rest]: readonly number[]) => {
      const answer = compute(settlement, maturity, ...rest);
      return answer instanceof CellError ? answer : finiteOrError(answer);
    },
  };
}

/** Defines a function of the coupons around a settlement. */
function coupon(name: string, compute: (coupons: Coupons, term: CouponTerm) => number) {
  return bond(name, 0, (term) =>
    compute(couponsAround(term.settlement, term.maturity, term.frequency), term),
  );
}

export const COUPONS = [
  coupon('COUPPCD', ({ previous }) => previous),
  coupon('COUPNCD', ({ next }) => next),
  coupon('COUPNUM', ({ count }) => count),
  coupon('COUPDAYS', (coupons, { frequency, basis }) => periodDays(coupons, frequency, basis)),
  coupon('COUPDAYBS', (coupons, { settlement, basis }) => daysBefore(coupons, settlement, basis)),
  coupon('COUPDAYSNC', (coupons, { settlement, frequency, basis }) =>
    daysAfter(coupons, settlement, frequency, basis),
  ),
];

/** A coupon period, and the interval between two days within it. */
interface PeriodInterval {
  readonly previous: number;
  readonly next: number;
  readonly from: number;
  readonly to: number;
}

/** The fraction of a coupon period that an interval covers. */
type Measure = (interval: PeriodInterval, frequency: Frequency, basis: Basis) => number;

/** Days divided by the nominal length of the period under its basis. */
export const byNormalLength: Measure = ({ previous, next, from, to }, frequency, basis) =>
  daysBetween(from, to, basis) / periodDays({ previous, next, count: 1 }, frequency, basis);

/** The same, but a complete period counts as 1. */
export const byNormalLengthOrWhole: Measure = (interval, frequency, basis) =>
  interval.from === interval.previous && interval.to === interval.next
    ? 1
    : byNormalLength(interval, frequency, basis);

/** Days divided by the actual days of the period. */
export const byOwnLength: Measure = ({ previous, next, from, to }, _, basis) =>
  daysBetween(from, to, basis) / daysBetween(previous, next, basis);

/**
 * The number of coupon periods between two days, on a schedule through a coupon day, with fractions for incomplete
 * ones.
 */
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
    const interval = { previous, next, from: Math.max(from, previous), to: Math.min(to, next) };
    periods += measure(interval, frequency, basis);
  }
  return periods;
}
