import { findRate } from '../../numerics/solve.ts';
import { ERROR, type NumericResult } from '../../values.ts';
import { bond, type CouponTerm } from './bond-function.ts';
import { couponsAround, daysBefore, periodDays } from './schedule.ts';

const NUM = ERROR['#NUM!'];

/** How a settlement lies among coupons, in coupon periods. */
interface Position {
  readonly count: number;
  readonly passed: number;
  readonly ahead: number;
}

function positionOf({ settlement, maturity, frequency, basis }: CouponTerm): Position {
  const coupons = couponsAround(settlement, maturity, frequency);
  const days = periodDays(coupons, frequency, basis);
  const passed = daysBefore(coupons, settlement, basis) / days;
  return { count: coupons.count, passed, ahead: 1 - passed };
}

/** The price for 100 of nominal value, without the interest since the last coupon. */
function priceAt(
  { count, passed, ahead }: Position,
  coupon: number,
  yieldOfPeriod: number,
  redemption: number,
) {
  const accrued = coupon * passed;
  if (count === 1) return (coupon + redemption) / (1 + yieldOfPeriod * ahead) - accrued;
  const factor = 1 / (1 + yieldOfPeriod);
  let value = redemption;
  for (let k = count; k > 0; k -= 1) value = (value + coupon) * (k > 1 ? factor : 1);
  return value * factor ** ahead - accrued;
}

function price(term: CouponTerm, rate = 0, yielded = 0, redemption = 0): NumericResult {
  if (rate < 0 || yielded < 0 || redemption <= 0) return NUM;
  const coupon = (100 * rate) / term.frequency;
  return priceAt(positionOf(term), coupon, yielded / term.frequency, redemption);
}

function yieldOf(term: CouponTerm, rate = 0, paid = 0, redemption = 0): NumericResult {
  if (rate < 0 || paid <= 0 || redemption <= 0) return NUM;
  const position = positionOf(term);
  const coupon = (100 * rate) / term.frequency;
  if (position.count === 1) {
    const whole = paid + coupon * position.passed;
    return ((coupon + redemption - whole) / whole / position.ahead) * term.frequency;
  }
  const found = findRate((each) => priceAt(position, coupon, each, redemption) - paid, rate / term.frequency);
  return found === undefined ? NUM : found * term.frequency;
}

/** Macaulay's duration: the mean of the times of payment, weighted by their present values, in years. */
function duration(term: CouponTerm, rate = 0, yielded = 0): NumericResult {
  if (rate < 0 || yielded < 0) return NUM;
  const { count, ahead } = positionOf(term);
  const coupon = (100 * rate) / term.frequency;
  const factor = 1 / (1 + yielded / term.frequency);
  let [weighted, whole] = [0, 0];
  for (let k = 0; k < count; k += 1) {
    const value = (coupon + (k === count - 1 ? 100 : 0)) * factor ** (k + ahead);
    weighted += value * (k + ahead);
    whole += value;
  }
  return weighted / whole / term.frequency;
}

export const BONDS = [
  bond('PRICE', 3, price),
  bond('YIELD', 3, yieldOf),
  bond('DURATION', 2, duration),
  bond('MDURATION', 2, (term, rate, yielded = 0) => {
    const years = duration(term, rate, yielded);
    return typeof years === 'number' ? years / (1 + yielded / term.frequency) : years;
  }),
];
