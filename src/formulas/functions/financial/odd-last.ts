import { isSerial } from '../../serial-date.ts';
import { CellError, ERROR, type NumericResult } from '../../values.ts';
import { bond, type CouponTerm } from './bond-function.ts';
import { byOwnLength, periodsBetween } from './coupon-periods.ts';

const NUM = ERROR['#NUM!'];

/** The last, odd period in coupon periods: as a whole, what of it has passed, and what is ahead. */
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

function price(term: CouponTerm, last = 0, rate = 0, yielded = 0, redemption = 0): NumericResult {
  if (rate < 0 || yielded < 0 || redemption <= 0) return NUM;
  const period = lastPeriod(term, last);
  if (period instanceof CellError) return period;
  const coupon = (100 * rate) / term.frequency;
  const paid = redemption + period.whole * coupon;
  return paid / (1 + (period.ahead * yielded) / term.frequency) - period.passed * coupon;
}

function yieldOf(term: CouponTerm, last = 0, rate = 0, paid = 0, redemption = 0): NumericResult {
  if (rate < 0 || paid <= 0 || redemption <= 0) return NUM;
  const period = lastPeriod(term, last);
  if (period instanceof CellError) return period;
  const coupon = (100 * rate) / term.frequency;
  const cost = paid + period.passed * coupon;
  return ((redemption + period.whole * coupon - cost) / cost) * (term.frequency / period.ahead);
}

export const ODD_LAST = [bond('ODDLPRICE', 4, price), bond('ODDLYIELD', 4, yieldOf)];
