import { numberOf } from '../../conversions.ts';
import { type CellError, ERROR } from '../../values.ts';
import type { FormulaFunction } from '../function.ts';
import type { CellReading } from '../numbers.ts';
import { statistic } from '../numeric.ts';

/** Larger whole numbers are not told from their neighbours. */
const LARGEST = 2 ** 53;

function gcd(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

function lcm(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : (a / gcd(a, b)) * b;
}

function fold(
  numbers: readonly number[],
  first: number,
  join: (a: number, b: number) => number,
): number | CellError {
  if (numbers.length === 0) return ERROR['#VALUE!'];
  let result = first;
  for (const number of numbers) {
    if (number < 0 || number >= LARGEST) return ERROR['#NUM!'];
    result = join(result, Math.trunc(number));
    if (result >= LARGEST) return ERROR['#NUM!'];
  }
  return result;
}

const withoutTruths: CellReading = (cell) => (typeof cell === 'boolean' ? ERROR['#VALUE!'] : numberOf(cell));

function divisor(name: string, first: number, join: (a: number, b: number) => number): FormulaFunction {
  return { ...statistic(name, (numbers) => fold(numbers, first, join), withoutTruths), addIn: true };
}

export const DIVISORS = [divisor('GCD', 0, gcd), divisor('LCM', 1, lcm)];
