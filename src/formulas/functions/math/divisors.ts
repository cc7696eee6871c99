import { type CellError, ERROR } from '../../values.ts';
import { addInNumber, statistic } from '../numeric.ts';

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
  let result = first;
  for (const number of numbers) {
    if (number < 0 || number >= LARGEST) return ERROR['#NUM!'];
    result = join(result, Math.trunc(number));
    if (result >= LARGEST) return ERROR['#NUM!'];
  }
  return result;
}

export const DIVISORS = [
  statistic('GCD', (numbers) => fold(numbers, 0, gcd), addInNumber),
  statistic('LCM', (numbers) => (numbers.length === 0 ? 0 : fold(numbers, 1, lcm)), addInNumber),
];
