import { type CellError, ERROR, type NumericResult } from '../../values.ts';
import { define } from '../define.ts';
import { futureValue, payment } from './annuity.ts';

/** What a loan's payments pay of interest and of the loan from one period to another, in closed form. */
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

/** What is owed once so many payments are made. A payment at the begin bears no interest before it. */
function owedAfter(rate: number, payments: number, each: number, present: number, atBegin: number): number {
  if (!atBegin) return -futureValue(rate, payments, each, present, 0);
  return payments === 0 ? present : -futureValue(rate, payments - 1, each, present, 1) + each;
}

function part(of: 'interest' | 'principal') {
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
  define('CUMIPMT', PARAMETERS, part('interest')),
  define('CUMPRINC', PARAMETERS, part('principal')),
];
