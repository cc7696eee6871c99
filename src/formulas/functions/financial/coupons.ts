import { bond, type CouponTerm } from './bond-function.ts';
import { type Coupons, couponsAround, daysAfter, daysBefore, periodDays } from './schedule.ts';

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
