import { findRate } from '../../numerics/solve.ts';
import { type CellError, ERROR, type NumericResult } from '../../values.ts';
import { define } from '../function.ts';
import { numeric } from '../numbers.ts';

const NUM = ERROR['#NUM!'];

/** The future value of a payment of 1 each period; payments at the start of a period earn one more interest. */
function growthOfPayments(rate: number, periods: number, atBegin: number): number {
  if (rate === 0) return periods;
  const gained = growth(rate, periods) - 1;
  return (gained / rate) * (atBegin ? 1 + rate : 1);
}

function growth(rate: number, periods: number): number {
  return (1 + rate) ** periods;
}

function futureValue(rate: number, periods: number, payment: number, present = 0, atBegin = 0): number {
  return -present * growth(rate, periods) - payment * growthOfPayments(rate, periods, atBegin);
}

function payment(rate: number, periods: number, present: number, future = 0, atBegin = 0): NumericResult {
  if (periods === 0) return NUM;
  return -(present * growth(rate, periods) + future) / growthOfPayments(rate, periods, atBegin);
}

function presentValue(rate: number, periods: number, paid: number, future = 0, atBegin = 0): number {
  return -(future + paid * growthOfPayments(rate, periods, atBegin)) / growth(rate, periods);
}

function periodsOf(rate: number, paid: number, present: number, future = 0, atBegin = 0): NumericResult {
  if (rate === 0) return paid === 0 ? ERROR['#DIV/0!'] : -(present + future) / paid;
  const each = (paid * (atBegin ? 1 + rate : 1)) / rate;
  const quotient = (each - future) / (each + present);
  return quotient > 0 && rate > -1 ? Math.log(quotient) / Math.log1p(rate) : NUM;
}

/** The interest in a payment, on the balance at the start of its period. */
function interest(
  rate: number,
  period: number,
  periods: number,
  present: number,
  future = 0,
  atBegin = 0,
): NumericResult {
  if (period < 1 || period >= periods + 1) return NUM;
  const paid = payment(rate, periods, present, future, atBegin);
  if (typeof paid !== 'number') return paid;
  if (atBegin) return period === 1 ? 0 : (futureValue(rate, period - 2, paid, present, 1) - paid) * rate;
  return futureValue(rate, period - 1, paid, present, 0) * rate;
}

function principal(
  rate: number,
  period: number,
  periods: number,
  present: number,
  future = 0,
  atBegin = 0,
): NumericResult {
  const paid = payment(rate, periods, present, future, atBegin);
  const paidPart = interest(rate, period, periods, present, future, atBegin);
  if (typeof paid !== 'number') return paid;
  return typeof paidPart === 'number' ? paid - paidPart : paidPart;
}

function rateOf(
  periods: number,
  paid: number,
  present: number,
  future = 0,
  atBegin = 0,
  guess = 0.1,
): NumericResult {
  if (periods <= 0) return NUM;
  // In present values: future values grow too fast for the iteration to converge.
  const missing = (rate: number) => present - presentValue(rate, periods, paid, future, atBegin);
  return findRate(missing, guess) ?? NUM;
}

export const ANNUITY = [
  numeric('PMT', 3, 5, payment),
  numeric('FV', 3, 5, (rate, periods, ...rest) =>
    rate === -1 && periods < 0 ? ERROR['#DIV/0!'] : futureValue(rate, periods, ...(rest as [number])),
  ),
  numeric('PV', 3, 5, presentValue),
  numeric('NPER', 3, 5, periodsOf),
  numeric('RATE', 3, 6, rateOf),
  numeric('IPMT', 4, 6, interest),
  numeric('PPMT', 4, 6, principal),
  numeric('ISPMT', 4, 4, (rate, period, periods, present) =>
    periods === 0 ? ERROR['#DIV/0!'] : present * rate * (period / periods - 1),
  ),
];

/** The interest or principal paid on a loan from one period to another, in closed form. */
function paid(
  rate: number,
  given: number,
  present: number,
  from: number,
  to: number,
  kind: number,
): { interest: number; principal: number } | CellError {
  const [periods, first, last, atBegin] = [given, from, to, kind].map(Math.trunc) as [
    number,
    number,
    number,
    number,
  ];
  if (rate <= 0 || periods <= 0 || present <= 0) return ERROR['#NUM!'];
  if (first < 1 || last < first || last > periods || (kind !== 0 && kind !== 1)) return ERROR['#NUM!'];
  const each = payment(rate, periods, present, 0, atBegin);
  if (typeof each !== 'number') return each;
  const owed = (after: number) => owedAfter(rate, after, each, present, atBegin);
  const principal = owed(first - 1) - owed(last);
  return { principal: -principal, interest: each * (last - first + 1) + principal };
}

/** The balance after so many payments. The first payment at the start of a period bears no interest. */
function owedAfter(rate: number, payments: number, each: number, present: number, atBegin: number): number {
  if (!atBegin) return -futureValue(rate, payments, each, present, 0);
  return payments === 0 ? present : -futureValue(rate, payments - 1, each, present, 1) + each;
}

function paidPart(of: 'interest' | 'principal') {
  return ([rate, periods, present, from, to, kind]: readonly [
    number,
    number,
    number,
    number,
    number,
    number,
  ]): NumericResult => {
    const found = paid(rate, periods, present, from, to, kind);
    return 'interest' in found ? found[of] : found;
  };
}

const PARAMETERS = ['number', 'number', 'number', 'number', 'number', 'number'] as const;

export const CUMULATIVE = [
  define('CUMIPMT', PARAMETERS, paidPart('interest')),
  define('CUMPRINC', PARAMETERS, paidPart('principal')),
];

function dollarsOf(
  price: number,
  given: number,
  compute: (whole: number, rest: number, fraction: number, scale: number) => number,
): NumericResult {
  const fraction = Math.trunc(given);
  if (fraction < 0) return NUM;
  if (fraction === 0) return ERROR['#DIV/0!'];
  const whole = Math.trunc(price);
  return compute(whole, price - whole, fraction, 10 ** Math.ceil(Math.log10(fraction)));
}

export const RATES = [
  numeric('EFFECT', 2, 2, (nominal, given) => {
    const periods = Math.trunc(given);
    return nominal <= 0 || periods < 1 ? NUM : (1 + nominal / periods) ** periods - 1;
  }),
  numeric('NOMINAL', 2, 2, (effective, given) => {
    const periods = Math.trunc(given);
    return effective <= 0 || periods < 1 ? NUM : ((1 + effective) ** (1 / periods) - 1) * periods;
  }),
  numeric('PDURATION', 3, 3, (rate, present, future) =>
    rate <= 0 || present <= 0 || future <= 0 ? NUM : Math.log(future / present) / Math.log1p(rate),
  ),
  numeric('RRI', 3, 3, (periods, present, future) =>
    periods <= 0 || present === 0 ? NUM : (future / present) ** (1 / periods) - 1,
  ),
  numeric('DOLLARDE', 2, 2, (price, denominator) =>
    dollarsOf(price, denominator, (whole, rest, fraction, scale) => whole + (rest * scale) / fraction),
  ),
  numeric('DOLLARFR', 2, 2, (price, denominator) =>
    dollarsOf(price, denominator, (whole, rest, fraction, scale) => whole + (rest * fraction) / scale),
  ),
];
