import { combinations, factorial, lnGamma } from '../../numerics/gamma.ts';
import { lookingUp, type Spend } from '../../spending.ts';
import { type CellError, ERROR } from '../../values.ts';
import { numeric, statistic } from '../numeric.ts';

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
  const look = lookingUp(spend);
  let total = 0;
  let product = 1;
  for (const number of numbers) {
    look();
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
