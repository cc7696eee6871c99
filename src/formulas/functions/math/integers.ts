import { numberOf } from '../../conversions.ts';
import { isGrid } from '../../grids.ts';
import { combinations, factorial, lnGamma } from '../../numerics/gamma.ts';
import { clockTicker, type Spend } from '../../steps.ts';
import { CellError, ERROR, type Value } from '../../values.ts';
import type { CallContext, FormulaFunction } from '../function.ts';
import { type CellReading, collectNumbers, numeric, statistic } from '../numbers.ts';

function combin(items: number, chosen: number): number | CellError {
  const [n, k] = [Math.trunc(items), Math.trunc(chosen)];
  return k < 0 || n < k ? ERROR['#NUM!'] : combinations(n, k);
}

function combinWithRepetition(items: number, chosen: number): number | CellError {
  const [n, k] = [Math.trunc(items), Math.trunc(chosen)];
  if (n < 0 || k < 0) return ERROR['#NUM!'];
  if (k === 0) return 1;
  return n === 0 ? ERROR['#NUM!'] : combinations(n + k - 1, k);
}

function permutations(items: number, chosen: number): number | CellError {
  const [n, k] = [Math.trunc(items), Math.trunc(chosen)];
  if (n < 0 || k < 0 || n < k) return ERROR['#NUM!'];
  if (k > 1000) return Math.exp(lnGamma(n + 1) - lnGamma(n - k + 1));
  let product = 1;
  for (let i = 0; i < k; i += 1) product *= n - i;
  return product;
}

function doubleFactorial(given: number): number | CellError {
  const n = Math.trunc(given);
  if (n < -1) return ERROR['#NUM!'];
  let product = 1;
  for (let i = n; i > 1 && product < Number.POSITIVE_INFINITY; i -= 2) product *= i;
  return product;
}

function multinomial(numbers: readonly number[], spend: Spend): number | CellError {
  const tick = clockTicker(spend);
  let total = 0;
  let product = 1;
  for (const number of numbers) {
    tick();
    const n = Math.trunc(number);
    if (n < 0) return ERROR['#NUM!'];
    total += n;
    product *= combinations(total, n);
  }
  return product;
}

export const COMBINATORICS = [
  numeric('FACT', 1, 1, (n) => (n < 0 ? ERROR['#NUM!'] : factorial(Math.trunc(n)))),
  numeric('FACTDOUBLE', 1, 1, doubleFactorial),
  numeric('COMBIN', 2, 2, combin),
  numeric('COMBINA', 2, 2, combinWithRepetition),
  numeric('PERMUT', 2, 2, permutations),
  numeric('PERMUTATIONA', 2, 2, (n, k) => (n < 0 || k < 0 ? ERROR['#NUM!'] : Math.trunc(n) ** Math.trunc(k))),
  statistic('MULTINOMIAL', multinomial),
];

/** From here on not every integer is representable. */
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
  const tick = clockTicker(spend);
  let result = first;
  for (const number of numbers) {
    tick();
    if (number < 0 || number >= LARGEST) return ERROR['#NUM!'];
    result = join(result, Math.trunc(number));
    if (result >= LARGEST) return ERROR['#NUM!'];
  }
  return result;
}

const withoutTruths: CellReading = (cell) => (typeof cell === 'boolean' ? ERROR['#VALUE!'] : numberOf(cell));

/** An empty cell of a range counts as 0, although a single empty cell is skipped. */
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
