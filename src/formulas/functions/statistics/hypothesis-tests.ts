import {
  chiSquareTails,
  fTails,
  normalBelow,
  normalInverse,
  studentInverse,
  studentTails,
} from '../../numerics/distributions.ts';
import { deviation, mean, sumOf, variance } from '../../numerics/sums.ts';
import { mapWithTicks, type Spend } from '../../steps.ts';
import { CellError, ERROR, type Grid, type NumericResult, type Value } from '../../values.ts';
import { numberPairs } from '../aggregates.ts';
import { define } from '../function.ts';
import { alias, numbersOf, numeric } from '../numbers.ts';

interface Sample {
  readonly count: number;
  readonly mean: number;
  readonly variance: number;
}

function sampleOf(numbers: readonly number[], spend: Spend): Sample | CellError {
  const spread = variance(numbers, 'sample', spend);
  return typeof spread === 'number'
    ? { count: numbers.length, mean: mean(numbers, spend), variance: spread }
    : spread;
}

function zTest(grid: Grid, mu: number, sigma: number | undefined, spend: Spend): NumericResult {
  const numbers = numbersOf(grid);
  if (numbers instanceof CellError) return numbers;
  if (numbers.length === 0) return ERROR['#N/A'];
  const spread = sigma ?? deviation(numbers, 'sample', spend);
  if (typeof spread !== 'number') return spread;
  if (spread <= 0) return sigma === undefined ? ERROR['#DIV/0!'] : ERROR['#NUM!'];
  return normalBelow((mu - mean(numbers, spend)) / (spread / Math.sqrt(numbers.length)));
}

function fTest(one: Grid, other: Grid, spend: Spend): NumericResult {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  if (a instanceof CellError) return a;
  if (b instanceof CellError) return b;
  const [first, second] = [sampleOf(a, spend), sampleOf(b, spend)];
  if (first instanceof CellError) return first;
  if (second instanceof CellError) return second;
  if (first.variance === 0 || second.variance === 0) return ERROR['#DIV/0!'];
  const { lower, upper } = fTails(first.variance / second.variance, first.count - 1, second.count - 1);
  return 2 * Math.min(lower, upper);
}

function pairedTest(one: Grid, other: Grid, tails: number, spend: Spend): NumericResult {
  const pairs = numberPairs(one, other);
  if (pairs instanceof CellError) return pairs;
  const differences = sampleOf(
    mapWithTicks(pairs, ([x, y]) => x - y, spend),
    spend,
  );
  if (differences instanceof CellError) return differences;
  return tailsOf(differences.mean, differences.variance / differences.count, differences.count - 1, tails);
}

function unpairedTest(
  one: Grid,
  other: Grid,
  tails: number,
  sameVariance: boolean,
  spend: Spend,
): NumericResult {
  const [xs, ys] = [numbersOf(one), numbersOf(other)];
  if (xs instanceof CellError) return xs;
  if (ys instanceof CellError) return ys;
  const [a, b] = [sampleOf(xs, spend), sampleOf(ys, spend)];
  if (a instanceof CellError) return a;
  if (b instanceof CellError) return b;
  const freedom = a.count + b.count - 2;
  if (sameVariance) {
    const pooled = ((a.count - 1) * a.variance + (b.count - 1) * b.variance) / freedom;
    return tailsOf(a.mean - b.mean, pooled * (1 / a.count + 1 / b.count), freedom, tails);
  }
  const [p, q] = [a.variance / a.count, b.variance / b.count];
  const welch = (p + q) ** 2 / (p ** 2 / (a.count - 1) + q ** 2 / (b.count - 1));
  return tailsOf(a.mean - b.mean, p + q, welch, tails);
}

function tailsOf(difference: number, squaredError: number, freedom: number, tails: number): NumericResult {
  if (squaredError === 0) return ERROR['#DIV/0!'];
  return tails * studentTails(Math.abs(difference) / Math.sqrt(squaredError), freedom).upper;
}

function tTest(one: Grid, other: Grid, givenTails: number, givenKind: number, spend: Spend): NumericResult {
  const [tails, kind] = [Math.trunc(givenTails), Math.trunc(givenKind)];
  if (tails < 1 || tails > 2 || kind < 1 || kind > 3) return ERROR['#NUM!'];
  return kind === 1
    ? pairedTest(one, other, tails, spend)
    : unpairedTest(one, other, tails, kind === 2, spend);
}

function chiSquareTest(actual: Grid, expected: Grid, spend: Spend): NumericResult {
  const { rows, columns } = actual;
  if (rows !== expected.rows || columns !== expected.columns || rows * columns < 2) return ERROR['#N/A'];
  const pairs = numberPairs(actual, expected);
  if (pairs instanceof CellError) return pairs;
  if (pairs.some(([, wanted]) => wanted === 0)) return ERROR['#DIV/0!'];
  if (pairs.some(([, wanted]) => wanted < 0)) return ERROR['#NUM!'];
  const freedom = rows === 1 || columns === 1 ? rows * columns - 1 : (rows - 1) * (columns - 1);
  const distance = sumOf(pairs, ([found, wanted]) => (found - wanted) ** 2 / wanted, spend);
  return chiSquareTails(distance, freedom).upper;
}

function confidence(
  alpha: number,
  spread: number,
  size: number,
  quantile: (tail: number, n: number) => NumericResult,
): NumericResult {
  const n = Math.trunc(size);
  if (alpha <= 0 || alpha >= 1 || spread <= 0 || n < 1) return ERROR['#NUM!'];
  const factor = quantile(alpha / 2, n);
  return typeof factor === 'number' ? (factor * spread) / Math.sqrt(n) : factor;
}

const zTestFunction = define(
  'Z.TEST',
  ['grid', 'number', 'number'],
  ([grid, mu, sigma], context): Value => zTest(grid, mu, sigma, context.spend),
  { required: 2 },
);
const fTestFunction = define('F.TEST', ['grid', 'grid'], ([one, other], context) =>
  fTest(one, other, context.spend),
);
const tTestFunction = define(
  'T.TEST',
  ['grid', 'grid', 'number', 'number'],
  ([one, other, tails, kind], context) => tTest(one, other, tails, kind, context.spend),
);
const chiSquareTestFunction = define('CHISQ.TEST', ['grid', 'grid'], ([actual, expected], context) =>
  chiSquareTest(actual, expected, context.spend),
);
const confidenceNormal = numeric('CONFIDENCE.NORM', 3, 3, (alpha, spread, size) =>
  confidence(alpha, spread, size, (tail) => -normalInverse(tail)),
);

export const HYPOTHESIS_TESTS = [
  zTestFunction,
  alias('ZTEST', zTestFunction),
  fTestFunction,
  alias('FTEST', fTestFunction),
  tTestFunction,
  alias('TTEST', tTestFunction),
  chiSquareTestFunction,
  alias('CHITEST', chiSquareTestFunction),
  confidenceNormal,
  alias('CONFIDENCE', confidenceNormal),
  numeric('CONFIDENCE.T', 3, 3, (alpha, spread, size) =>
    confidence(alpha, spread, size, (tail, n) => (n === 1 ? ERROR['#DIV/0!'] : studentInverse(tail, n - 1))),
  ),
];
