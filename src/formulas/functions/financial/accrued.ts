import { numberOf } from '../../conversions.ts';
import { isSerial } from '../../serial-date.ts';
import { ERROR, type NumericResult } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { type Basis, daysBetween, isBasis, yearsBetween } from './day-basis.ts';
import { type Frequency, isFrequency, monthsFrom, periodDays } from './schedule.ts';

const NUM = ERROR['#NUM!'];

interface Accrual {
  readonly issue: number;
  readonly first: number;
  readonly settlement: number;
  readonly frequency: Frequency;
  readonly basis: Basis;
}

/**
 * How many coupon periods interest has accrued for, as Excel counts them: from the coupon day before the settlement, or
 * before the first one where the settlement is earlier still; then back to the issue.
 * @param whole what each whole period counts, 0 where interest accrues from the first coupon only
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

/** What the period that the issue breaks counts. */
function firstLength(start: number, end: number, frequency: Frequency, basis: Basis): number {
  if (basis === 1) return end - start;
  return basis === 3 ? 365 / frequency : daysBetween(start, end, basis === 2 ? 0 : basis);
}

function accrued(
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

/** What a bond pays back where nothing else is said. */
const USUAL_PAR = 1000;

export const ACCRUED = [
  define(
    'ACCRINT',
    ['number', 'number', 'number', 'number', 'scalar', 'number', 'number', 'logical'],
    ([issue, first, settlement, rate, given, frequency, basis = 0, fromIssue = true], context) => {
      // Though arguments follow that must be there, it may be left out.
      const par = given === null ? USUAL_PAR : numberOf(given);
      if (typeof par !== 'number') return par;
      if (rate <= 0 || par <= 0) return NUM;
      return accrued(
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
