import { isSerial } from '../../serial-date.ts';
import { type CellError, ERROR } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { periodsBetween } from './coupon-periods.ts';
import { isBasis, yearsBetween } from './day-basis.ts';
import { isFrequency } from './schedule.ts';

type Answer = number | CellError;
const NUM = ERROR['#NUM!'];

function accrued(
  days: readonly [issue: number, first: number, settlement: number],
  interest: number,
  frequency: number,
  basis: number,
  fromIssue: boolean,
  context: CallContext,
): Answer {
  const [issue, first, settlement] = days.map(Math.trunc) as [number, number, number];
  if (!isFrequency(frequency) || !isBasis(basis) || interest <= 0) return NUM;
  if (![issue, first, settlement].every(isSerial) || issue >= settlement || issue >= first) return NUM;
  const start = fromIssue || settlement <= first ? issue : first;
  context.spend(((settlement - start) / 365) * frequency);
  return (interest / frequency) * periodsBetween(start, settlement, first, frequency, basis);
}

export const ACCRUED = [
  define(
    'ACCRINT',
    ['number', 'number', 'number', 'number', 'number', 'number', 'number', 'logical'],
    ([issue, first, settlement, rate, par, frequency, basis = 0, fromIssue = true], context) =>
      rate <= 0 || par <= 0
        ? NUM
        : accrued(
            [issue, first, settlement],
            rate * par,
            Math.trunc(frequency),
            Math.trunc(basis),
            fromIssue,
            context,
          ),
    { required: 6 },
  ),
  define(
    'ACCRINTM',
    ['number', 'number', 'number', 'number', 'number'],
    ([issue, settlement, rate, par = 1000, basis = 0]) => {
      const [from, to, count] = [Math.trunc(issue), Math.trunc(settlement), Math.trunc(basis)];
      if (!isSerial(from) || !isSerial(to) || from >= to || rate <= 0 || par <= 0 || !isBasis(count))
        return NUM;
      return rate * par * yearsBetween(from, to, count);
    },
    { required: 3 },
  ),
];
