import { numberOf } from '../../conversions.ts';
import { isGrid } from '../../grids.ts';
import { lookingUp, type Spend } from '../../spending.ts';
import { CellError, ERROR, type Value } from '../../values.ts';
import type { CallContext, FormulaFunction } from '../function.ts';
import { type CellReading, collectNumbers } from '../numbers.ts';

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
  spend: Spend,
): number | CellError {
  if (numbers.length === 0) return ERROR['#VALUE!'];
  const look = lookingUp(spend);
  let result = first;
  for (const number of numbers) {
    look();
    if (number < 0 || number >= LARGEST) return ERROR['#NUM!'];
    result = join(result, Math.trunc(number));
    if (result >= LARGEST) return ERROR['#NUM!'];
  }
  return result;
}

const withoutTruths: CellReading = (cell) => (typeof cell === 'boolean' ? ERROR['#VALUE!'] : numberOf(cell));

/** An empty cell of a range is a 0, though one that stands alone is nothing. */
function hasEmptyCell(values: readonly Value[]): boolean {
  return values.some((value) => {
    if (!isGrid(value) || value.rows * value.columns === 1) return false;
    let used = 0;
    value.each(() => {
      used += 1;
    });
    return used < value.rows * value.columns;
  });
}

function divisor(name: string, first: number, join: (a: number, b: number) => number): FormulaFunction {
  return {
    name,
    parameters: ['any'],
    required: 1,
    repeats: 1,
    addIn: true,
    call: (values: readonly Value[], context: CallContext) => {
      const numbers = collectNumbers(values, withoutTruths);
      if (numbers instanceof CellError) return numbers;
      context.spend(numbers.length);
      return fold(hasEmptyCell(values) ? [...numbers, 0] : numbers, first, join, context.spend);
    },
  };
}

export const DIVISORS = [divisor('GCD', 0, gcd), divisor('LCM', 1, lcm)];
