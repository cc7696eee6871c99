import { findRate } from '../../numerics/solve.ts';
import { ERROR, type NumericResult } from '../../values.ts';
import { numeric } from '../numeric.ts';

const NUM = ERROR['#NUM!'];

/** What 1 a period comes to after so many periods; payments at the begin of each bear one more interest. */
function growthOfPayments(rate: number, periods: number, atBegin: number): number {
  if (rate === 0) return periods;
  const gained = growth(rate, periods) - 1;
  return (gained / rate) * (atBegin ? 1 + rate : 1);
}

function growth(rate: number, periods: number): number {
  return (1 + rate) ** periods;
}

export function futureValue(
  rate: number,
  periods: number,
  payment: number,
  present = 0,
  atBegin = 0,
): number {
  return -present * growth(rate, periods) - payment * growthOfPayments(rate, periods, atBegin);
}

export function payment(
  rate: number,
  periods: number,
  present: number,
  future = 0,
  atBegin = 0,
): NumericResult {
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

/** What of a payment is interest: on what is owed when its period begins. */
export function interest(
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
  const part = interest(rate, period, periods, present, future, atBegin);
  if (typeof paid !== 'number') return paid;
  return typeof part === 'number' ? paid - part : part;
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
  // As worth at the beginning: what it is worth at the end grows too fast for steps to get anywhere.
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
