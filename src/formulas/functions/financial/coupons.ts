import { finite } from '../../conversions.ts';
import { type CalendarDay, daysInMonth, fromSerial, isSerial, toSerial } from '../../serial-date.ts';
import { CellError, ERROR, type NumericResult } from '../../values.ts';
import { days360, days360OfYears, yearLength } from '../datetime/differences.ts';
import type { FormulaFunction } from '../function.ts';

/** How days and years are counted: 0 American 30/360, 1 actual, 2 actual/360, 3 actual/365, 4 European 30/360. */
export type Basis = 0 | 1 | 2 | 3 | 4;

export function isBasis(given: number): given is Basis {
  return [0, 1, 2, 3, 4].includes(given);
}

/** Days from one serial number to a later one. */
export function daysBetween(from: number, to: number, basis: Basis): number {
  if (basis === 0) return days360OfYears(fromSerial(from), fromSerial(to));
  return basis === 4 ? days360(fromSerial(from), fromSerial(to), 'european') : to - from;
}

/** Years from one serial number to another, as YEARFRAC counts them. */
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
interface Coupons {
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

/** When a paper is bought and when it ends, and how its days are counted. */
export interface Term {
  readonly settlement: number;
  readonly maturity: number;
  readonly basis: Basis;
}
export interface CouponTerm extends Term {
  readonly frequency: Frequency;
}

/** Makes a term of serial numbers and a basis; #NUM! when they are none or the maturity is not after the settlement. */
export function termOf(settlement: number, maturity: number, basis = 0): Term | CellError {
  const [from, to, count] = [Math.trunc(settlement), Math.trunc(maturity), Math.trunc(basis)];
  if (!isSerial(from) || !isSerial(to) || from >= to || !isBasis(count)) return ERROR['#NUM!'];
  return { settlement: from, maturity: to, basis: count };
}

/** Declares a function of a settlement, a maturity, `count` more numbers and perhaps a basis. */
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

/** Declares a function of a settlement, a maturity, `count` more numbers, a frequency and perhaps a basis. */
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
      return answer instanceof CellError ? answer : finite(answer);
    },
  };
}

/** Declares a function of the coupons around a settlement. */
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

/** A coupon period, and which part of it lies between two days. */
interface PeriodPart {
  readonly previous: number;
  readonly next: number;
  readonly from: number;
  readonly to: number;
}

/** How much of a coupon period a part of it is. */
type Measure = (part: PeriodPart, frequency: Frequency, basis: Basis) => number;

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
