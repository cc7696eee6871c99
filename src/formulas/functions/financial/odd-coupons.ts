import { findRate } from '../../numerics/solve.ts';
import { isSerial } from '../../serial-date.ts';
import { CellError, ERROR, type NumericResult } from '../../values.ts';
import {
  bond,
  byNormalLength,
  byNormalLengthOrWhole,
  byOwnLength,
  type CouponTerm,
  couponsAround,
  daysAfter,
  periodDays,
  periodsBetween,
} from './coupons.ts';

const NUM = ERROR['#NUM!'];

/** The position of a settlement in an odd first period, in coupon periods. */
interface FirstPeriod {
  readonly whole: number;
  readonly passed: number;
  readonly ahead: number;
  /** Coupons after the first. */
  readonly later: number;
}

function firstPeriod(term: CouponTerm, givenIssue: number, givenFirst: number): FirstPeriod | CellError {
  const { settlement, maturity, frequency, basis } = term;
  const [issue, first] = [Math.trunc(givenIssue), Math.trunc(givenFirst)];
  if (!isSerial(issue) || issue >= settlement || settlement >= first || first >= maturity) return NUM;
  const schedule = { coupon: first, frequency, basis };
  const around = couponsAround(settlement, first, frequency);
  const untilNext = daysAfter(around, settlement, frequency, basis) / periodDays(around, frequency, basis);
  return {
    whole: periodsBetween(issue, first, schedule, byNormalLengthOrWhole),
    passed: periodsBetween(issue, settlement, schedule, byNormalLength),
    ahead: around.count - 1 + untilNext,
    later: couponsAround(first, maturity, frequency).count,
  };
}

function priceAt(period: FirstPeriod, coupon: number, yieldOfPeriod: number, redemption: number): number {
  const factor = 1 / (1 + yieldOfPeriod);
  let value = redemption;
  for (let k = 0; k < period.later; k += 1) value = (value + coupon) * factor;
  return (value + coupon * period.whole) * factor ** period.ahead - coupon * period.passed;
}

function priceOfOddFirst(
  term: CouponTerm,
  issue = 0,
  first = 0,
  rate = 0,
  yielded = 0,
  redemption = 0,
): NumericResult {
  if (rate < 0 || yielded < 0 || redemption <= 0) return NUM;
  const period = firstPeriod(term, issue, first);
  if (period instanceof CellError) return period;
  return priceAt(period, (100 * rate) / term.frequency, yielded / term.frequency, redemption);
}

function yieldOfOddFirst(
  term: CouponTerm,
  issue = 0,
  first = 0,
  rate = 0,
  paid = 0,
  redemption = 0,
): NumericResult {
  if (rate < 0 || paid <= 0 || redemption <= 0) return NUM;
  const period = firstPeriod(term, issue, first);
  if (period instanceof CellError) return period;
  const coupon = (100 * rate) / term.frequency;
  const found = findRate((each) => priceAt(period, coupon, each, redemption) - paid, rate / term.frequency);
  return found === undefined ? NUM : found * term.frequency;
}

export const ODD_FIRST = [bond('ODDFPRICE', 5, priceOfOddFirst), bond('ODDFYIELD', 5, yieldOfOddFirst)];

/** The odd last period in coupon periods: its length, the part before and the part after the settlement. */
interface LastPeriod {
  readonly whole: number;
  readonly passed: number;
  readonly ahead: number;
}

function lastPeriod(
  { settlement, maturity, frequency, basis }: CouponTerm,
  given: number,
): LastPeriod | CellError {
  const last = Math.trunc(given);
  if (!isSerial(last) || last >= settlement) return NUM;
  const periods = (from: number, to: number) =>
    periodsBetween(from, to, { coupon: last, frequency, basis }, byOwnLength);
  return {
    whole: periods(last, maturity),
    passed: periods(last, settlement),
    ahead: periods(settlement, maturity),
  };
}

function priceOfOddLast(term: CouponTerm, last = 0, rate = 0, yielded = 0, redemption = 0): NumericResult {
  if (rate < 0 || yielded < 0 || redemption <= 0) return NUM;
  const period = lastPeriod(term, last);
  if (period instanceof CellError) return period;
  const coupon = (100 * rate) / term.frequency;
  const paid = redemption + period.whole * coupon;
  return paid / (1 + (period.ahead * yielded) / term.frequency) - period.passed * coupon;
}

function yieldOfOddLast(term: CouponTerm, last = 0, rate = 0, paid = 0, redemption = 0): NumericResult {
  if (rate < 0 || paid <= 0 || redemption <= 0) return NUM;
  const period = lastPeriod(term, last);
  if (period instanceof CellError) return period;
  const coupon = (100 * rate) / term.frequency;
  const cost = paid + period.passed * coupon;
  return ((redemption + period.whole * coupon - cost) / cost) * (term.frequency / period.ahead);
}

export const ODD_LAST = [bond('ODDLPRICE', 4, priceOfOddLast), bond('ODDLYIELD', 4, yieldOfOddLast)];
