import { numberOf } from '../../conversions.ts';
import { findRate } from '../../numerics/solve.ts';
import { isSerial } from '../../serial-date.ts';
import { CellError, ERROR, type NumericResult } from '../../values.ts';
import { type CallContext, define } from '../function.ts';
import { numeric } from '../numbers.ts';
import {
  type Basis,
  bond,
  type CouponTerm,
  couponsAround,
  daysBefore,
  daysBetween,
  type Frequency,
  isBasis,
  isFrequency,
  monthsFrom,
  paper,
  periodDays,
  type Term,
  termOf,
  yearsBetween,
} from './coupons.ts';

const NUM = ERROR['#NUM!'];

/** The position of a settlement among coupons, in coupon periods. */
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

/** The price per 100 of nominal value, without the accrued interest. */
function priceAt(
  { count, passed, ahead }: Position,
  coupon: number,
  yieldOfPeriod: number,
  redemption: number,
) {
  const accruedInterest = coupon * passed;
  if (count === 1) return (coupon + redemption) / (1 + yieldOfPeriod * ahead) - accruedInterest;
  const factor = 1 / (1 + yieldOfPeriod);
  let value = redemption;
  for (let k = count; k > 0; k -= 1) value = (value + coupon) * (k > 1 ? factor : 1);
  return value * factor ** ahead - accruedInterest;
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

/** Macaulay's duration: the mean time of the payments in years, weighted by their present values. */
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

interface Accrual {
  readonly issue: number;
  readonly first: number;
  readonly settlement: number;
  readonly frequency: Frequency;
  readonly basis: Basis;
}

/**
 * The coupon periods of accrued interest, as Excel counts them: from the coupon day before the settlement, or from
 * the coupon day before the first one if the settlement is earlier; then back to the issue.
 * @param whole the count of each complete period; 0 when interest accrues from the first coupon only
 */
function accruedPeriods({ issue, first, settlement, frequency, basis }: Accrual, whole: 0 | 1): number {
  const step = 12 / frequency;
  let k = -1;
  while (whole === 1 && monthsFrom(first, (k + 1) * step) < settlement) k += 1;
  let start = monthsFrom(first, k * step);
  const regular = { previous: monthsFrom(first, -step), next: first, count: 1 };
  const days = daysBetween(Math.max(issue, start), settlement, basis);
  let periods = days / periodDays(regular, frequency, basis);
  while (start > issue) {
    const end = start;
    k -= 1;
    start = monthsFrom(first, k * step);
    periods +=
      start >= issue ? whole : daysBetween(issue, end, basis) / firstLength(start, end, frequency, basis);
  }
  return periods;
}

/** The nominal length, in days, of the coupon period that contains the issue. */
function firstLength(start: number, end: number, frequency: Frequency, basis: Basis): number {
  if (basis === 1) return end - start;
  return basis === 3 ? 365 / frequency : daysBetween(start, end, basis === 2 ? 0 : basis);
}

function accruedInterest(
  accrual: Accrual,
  interest: number,
  fromIssue: boolean,
  context: CallContext,
): NumericResult {
  const { issue, first, settlement, frequency, basis } = accrual;
  if (!isFrequency(frequency) || !isBasis(basis) || interest <= 0) return NUM;
  if (![issue, first, settlement].every(isSerial) || issue >= settlement || issue >= first) return NUM;
  context.spend(((Math.max(first, settlement) - issue) / 365) * frequency);
  return (interest / frequency) * accruedPeriods(accrual, fromIssue ? 1 : 0);
}

/** The default par value of a bond. */
const USUAL_PAR = 1000;

export const ACCRUED = [
  define(
    'ACCRINT',
    ['number', 'number', 'number', 'number', 'scalar', 'number', 'number', 'logical'],
    ([issue, first, settlement, rate, given, frequency, basis = 0, fromIssue = true], context) => {
      // Optional, although required arguments follow.
      const par = given === null ? USUAL_PAR : numberOf(given);
      if (typeof par !== 'number') return par;
      if (rate <= 0 || par <= 0) return NUM;
      return accruedInterest(
        {
          issue: Math.trunc(issue),
          first: Math.trunc(first),
          settlement: Math.trunc(settlement),
          frequency: Math.trunc(frequency) as Frequency,
          basis: Math.trunc(basis) as Basis,
        },
        rate * par,
        fromIssue,
        context,
      );
    },
    { required: 6, leftOutBy: 'emptyCell' },
  ),
  define(
    'ACCRINTM',
    ['number', 'number', 'number', 'number', 'number'],
    ([issue, settlement, rate, par = USUAL_PAR, basis = 0]) => {
      const [from, to, count] = [Math.trunc(issue), Math.trunc(settlement), Math.trunc(basis)];
      if (!isSerial(from) || !isSerial(to) || from >= to || rate <= 0 || par <= 0 || !isBasis(count))
        return NUM;
      return rate * par * yearsBetween(from, to, count);
    },
    { required: 3, leftOutBy: 'emptyCell' },
  ),
];

const years = ({ settlement, maturity, basis }: Term) => yearsBetween(settlement, maturity, basis);

/** #NUM! unless all numbers are positive. */
function ofPositive(compute: (term: Term, ...given: number[]) => NumericResult) {
  return (term: Term, ...given: number[]): NumericResult =>
    given.every((number) => number > 0) ? compute(term, ...given) : NUM;
}

/** Year fractions of a security that pays at maturity, from its issue on. */
function fromIssue({ settlement, maturity, basis }: Term, issue: number) {
  const day = Math.trunc(issue);
  return {
    whole: yearsBetween(day, maturity, basis),
    passed: yearsBetween(day, settlement, basis),
    ahead: yearsBetween(settlement, maturity, basis),
  };
}

function priceAtMaturity(term: Term, issue = 0, rate = 0, yielded = 0): NumericResult {
  if (rate < 0 || yielded < 0 || issue < 0 || issue > term.settlement) return NUM;
  const { whole, passed, ahead } = fromIssue(term, issue);
  return (100 * (1 + whole * rate)) / (1 + ahead * yielded) - 100 * passed * rate;
}

function yieldAtMaturity(term: Term, issue = 0, rate = 0, price = 0): NumericResult {
  if (rate < 0 || price <= 0 || issue < 0 || issue > term.settlement) return NUM;
  const { whole, passed, ahead } = fromIssue(term, issue);
  const paid = price / 100 + passed * rate;
  return ((1 + whole * rate) / paid - 1) / ahead;
}

export const PAPERS = [
  paper(
    'DISC',
    2,
    ofPositive((term, price = 0, redemption = 0) => (1 - price / redemption) / years(term)),
  ),
  paper(
    'PRICEDISC',
    2,
    ofPositive((term, discount = 0, redemption = 0) => redemption * (1 - discount * years(term))),
  ),
  paper(
    'YIELDDISC',
    2,
    ofPositive((term, price = 0, redemption = 0) => (redemption / price - 1) / years(term)),
  ),
  paper(
    'INTRATE',
    2,
    ofPositive((term, invested = 0, redemption = 0) => (redemption / invested - 1) / years(term)),
  ),
  paper(
    'RECEIVED',
    2,
    ofPositive((term, invested = 0, discount = 0) => {
      const left = 1 - discount * years(term);
      return left > 0 ? invested / left : NUM;
    }),
  ),
  paper('PRICEMAT', 3, priceAtMaturity),
  paper('YIELDMAT', 3, yieldAtMaturity),
];

/** Defines a function of a Treasury bill, which matures within a year of the settlement. */
function bill(name: string, compute: (days: number, given: number) => NumericResult) {
  return numeric(name, 3, 3, (settlement, maturity, given) => {
    const term = termOf(settlement, maturity);
    if (term instanceof CellError) return term;
    if (given <= 0 || term.maturity > monthsFrom(term.settlement, 12)) return NUM;
    return compute(term.maturity - term.settlement, given);
  });
}

/** The bond-equivalent yield; for more than half a year it accounts for a coupon in between. */
function bondYield(days: number, discount: number): NumericResult {
  if (days <= 182) return (365 * discount) / (360 - discount * days);
  const price = 1 - (discount * days) / 360;
  const term = days / (days === 366 ? 366 : 365);
  if (price <= 0) return NUM;
  return (2 * (Math.sqrt(term * term - (2 * term - 1) * (1 - 1 / price)) - term)) / (2 * term - 1);
}

export const TREASURY_BILLS = [
  bill('TBILLPRICE', (days, discount) => {
    const price = 100 * (1 - (discount * days) / 360);
    return price < 0 ? NUM : price;
  }),
  bill('TBILLYIELD', (days, price) => ((100 - price) / price) * (360 / days)),
  bill('TBILLEQ', bondYield),
];
