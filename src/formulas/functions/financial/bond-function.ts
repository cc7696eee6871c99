import { finite } from '../../conversions.ts';
import { isSerial } from '../../serial-date.ts';
import { CellError, ERROR, type NumericResult } from '../../values.ts';
import type { FormulaFunction } from '../function.ts';
import { type Basis, isBasis } from './day-basis.ts';
import { type Frequency, isFrequency } from './schedule.ts';

/** When a paper is bought and when it ends, and how its days are counted. */
export interface Term {
  readonly settlement: number;
  readonly maturity: number;
  readonly basis: Basis;
}
export interface CouponTerm extends Term {
  readonly frequency: Frequency;
}

/** Makes a term of serial numbers and a basis; #NUM! when they are none or the maturity is not after the settlement. */
export function termOf(settlement: number, maturity: number, basis = 0): Term | CellError {
  const [from, to, count] = [Math.trunc(settlement), Math.trunc(maturity), Math.trunc(basis)];
  if (!isSerial(from) || !isSerial(to) || from >= to || !isBasis(count)) return ERROR['#NUM!'];
  return { settlement: from, maturity: to, basis: count };
}

/** Declares a function of a settlement, a maturity, `count` more numbers and perhaps a basis. */
export function paper(
  name: string,
  count: number,
  compute: (term: Term, ...given: number[]) => NumericResult,
): FormulaFunction {
  return serial(name, count + 2, count + 3, (settlement, maturity, ...rest) => {
    const term = termOf(settlement, maturity, rest[count]);
    return term instanceof CellError ? term : compute(term, ...rest.slice(0, count));
  });
}

/** Declares a function of a settlement, a maturity, `count` more numbers, a frequency and perhaps a basis. */
export function bond(
  name: string,
  count: number,
  compute: (term: CouponTerm, ...given: number[]) => NumericResult,
): FormulaFunction {
  return serial(name, count + 3, count + 4, (settlement, maturity, ...rest) => {
    const term = termOf(settlement, maturity, rest[count + 1]);
    const frequency = Math.trunc(rest[count] ?? 0);
    if (term instanceof CellError) return term;
    return isFrequency(frequency) ? compute({ ...term, frequency }, ...rest.slice(0, count)) : ERROR['#NUM!'];
  });
}

function serial(
  name: string,
  least: number,
  most: number,
  compute: (settlement: number, maturity: number, ...rest: number[]) => NumericResult,
): FormulaFunction {
  return {
    name,
    parameters: new Array(most).fill('number'),
    required: least,
    call: ([settlement = 0, maturity = 0, ...rest]: readonly number[]) => {
      const answer = compute(settlement, maturity, ...rest);
      return answer instanceof CellError ? answer : finite(answer);
    },
  };
}
