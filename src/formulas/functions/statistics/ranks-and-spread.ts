import { makeGrid } from '../../grids.ts';
import {
  ascending,
  largest,
  quantileExclusive,
  quantileInclusive,
  smallest,
} from '../../numerics/quantiles.ts';
import { roundDown } from '../../numerics/rounding.ts';
import { deviation, mean, squaredDeviations, standardMoment, sumOf, variance } from '../../numerics/sums.ts';
import { clockTicker, filterWithTicks, mapWithTicks, type Spend } from '../../steps.ts';
import { CellError, ERROR, type Grid, type NumericResult, type Value } from '../../values.ts';
import { numberPairs } from '../aggregates.ts';
import { define, type FormulaFunction } from '../function.ts';
import { alias, collectNumbers, everyKind, numbersOf, statistic } from '../numbers.ts';

type Compute = (numbers: readonly number[], k: number, spend: Spend) => number | CellError;

/** Defines a function of an array and a further number, such as LARGE. */
function arrayAndNumber(name: string, compute: Compute): FormulaFunction {
  return define(name, ['any', 'number'], ([cells, k], context) => {
    const numbers = collectNumbers([cells]);
    return numbers instanceof CellError ? numbers : compute(numbers, k, context.spend);
  });
}

/** Defines the rank of a number among others: 1 is the largest, or the smallest in ascending order. */
function rank(name: string, ofTies: (equal: number) => number): FormulaFunction {
  const call = (value: number, cells: Value, rising: number, spend: Spend): Value => {
    const numbers = collectNumbers([cells]);
    if (numbers instanceof CellError) return numbers;
    const equal = filterWithTicks(numbers, (number) => number === value, spend).length;
    if (equal === 0) return ERROR['#N/A'];
    const isBefore = (number: number) => (rising ? number < value : number > value);
    const before = filterWithTicks(numbers, isBefore, spend).length;
    return before + 1 + ofTies(equal);
  };
  return define(
    name,
    ['number', 'any', 'number'],
    ([value, cells, rising = 0], context) => call(value, cells, rising, context.spend),
    {
      required: 2,
    },
  );
}

/** Defines the percentage rank of a number; interpolated between two numbers. */
function percentRank(name: string, fractionBelow: (below: number, count: number) => number): FormulaFunction {
  const call = (grid: Grid, value: number, digits: number, spend: Spend): Value => {
    const numbers = numbersOf(grid);
    if (numbers instanceof CellError) return numbers;
    if (numbers.length === 0 || digits < 1) return ERROR['#NUM!'];
    const index = rankAmong(ascending(numbers, spend), value);
    return index === undefined ? ERROR['#N/A'] : roundDown(fractionBelow(index, numbers.length), digits);
  };
  return define(
    name,
    ['grid', 'number', 'number'],
    ([grid, value, digits = 3], context) => call(grid, value, digits, context.spend),
    {
      required: 2,
    },
  );
}

/** The number of values below a value, interpolated between two of them; undefined outside their range. */
function rankAmong(ordered: Float64Array, value: number): number | undefined {
  const at = ordered.findIndex((number) => number >= value);
  const above = ordered[at];
  if (above === undefined || (at === 0 && above !== value)) return undefined;
  const below = ordered[at - 1] ?? above;
  return above === value ? at : at - 1 + (value - below) / (above - below);
}

const quarterInclusive: Compute = (numbers, quarter, spend) =>
  quantileInclusive(numbers, Math.trunc(quarter) / 4, spend);
const quarterExclusive: Compute = (numbers, quarter, spend) =>
  quantileExclusive(numbers, Math.trunc(quarter) / 4, spend);

const percentile = arrayAndNumber('PERCENTILE.INC', quantileInclusive);
const quartile = arrayAndNumber('QUARTILE.INC', quarterInclusive);
const rankOfEqual = rank('RANK.EQ', () => 0);
const percentRankInclusive = percentRank('PERCENTRANK.INC', (below, count) =>
  count === 1 ? 1 : below / (count - 1),
);

export const RANKS = [
  arrayAndNumber('LARGE', largest),
  arrayAndNumber('SMALL', smallest),
  percentile,
  alias('PERCENTILE', percentile),
  arrayAndNumber('PERCENTILE.EXC', quantileExclusive),
  quartile,
  alias('QUARTILE', quartile),
  arrayAndNumber('QUARTILE.EXC', quarterExclusive),
  rankOfEqual,
  alias('RANK', rankOfEqual),
  rank('RANK.AVG', (equal) => (equal - 1) / 2),
  percentRankInclusive,
  alias('PERCENTRANK', percentRankInclusive),
  percentRank('PERCENTRANK.EXC', (below, count) => (below + 1) / (count + 1)),
];

/** The number of values in each interval up to a bound, and last the number above all bounds. */
function frequency(data: Grid, bounds: Grid, spend: Spend): Value {
  const numbers = numbersOf(data);
  const limits = numbersOf(bounds);
  if (numbers instanceof CellError) return numbers;
  if (limits instanceof CellError) return limits;
  const tick = clockTicker(spend);
  const ordered = mapWithTicks(limits, (limit, index): [number, number] => [index, limit], spend).sort(
    ([, a], [, b]) => {
      tick();
      return a - b;
    },
  );
  const upTo = ascending(limits, spend);
  const counts = new Array<number>(limits.length + 1).fill(0);
  for (const number of numbers) {
    tick();
    const index = ordered[boundOf(upTo, number)]?.[0] ?? limits.length;
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return makeGrid({ rows: counts.length, columns: 1 }, (row) => counts[row] ?? 0, spend);
}

/** The index of the first bound not below a number, by binary search. */
function boundOf(bounds: Float64Array, number: number): number {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] ?? number) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function probability(values: Grid, parts: Grid, low: number, high: number, spend: Spend): Value {
  const found = numberPairs(values, parts);
  if (found instanceof CellError) return found;
  const whole = sumOf(found, ([, fraction]) => fraction, spend);
  if (found.some(([, fraction]) => fraction < 0 || fraction > 1) || Math.abs(whole - 1) > 1e-7)
    return ERROR['#NUM!'];
  return sumOf(found, ([value, fraction]) => (value >= low && value <= high ? fraction : 0), spend);
}

export const FREQUENCIES = [
  define('FREQUENCY', ['grid', 'grid'], ([data, bounds], context) => frequency(data, bounds, context.spend)),
  define(
    'PROB',
    ['grid', 'grid', 'number', 'number'],
    ([values, parts, low, high = low], context) => probability(values, parts, low, high, context.spend),
    { required: 3 },
  ),
];

/** #DIV/0! for fewer than `least` numbers, or when the result is undefined because all numbers are equal. */
function ofAtLeast(least: number, compute: (numbers: readonly number[], spend: Spend) => number) {
  return (numbers: readonly number[], spend: Spend): NumericResult => {
    const answer = numbers.length < least ? Number.NaN : compute(numbers, spend);
    return Number.isNaN(answer) ? ERROR['#DIV/0!'] : answer;
  };
}

function skewness(numbers: readonly number[], spend: Spend): number {
  const n = numbers.length;
  return (standardMoment(numbers, 3, 'sample', spend) * n) / ((n - 1) * (n - 2));
}

function kurtosis(numbers: readonly number[], spend: Spend): number {
  const n = numbers.length;
  const left = (n * (n + 1)) / ((n - 1) * (n - 2) * (n - 3));
  return standardMoment(numbers, 4, 'sample', spend) * left - (3 * (n - 1) ** 2) / ((n - 2) * (n - 3));
}

function meanDeviation(numbers: readonly number[], spend: Spend): NumericResult {
  if (numbers.length === 0) return ERROR['#NUM!'];
  const middle = mean(numbers, spend);
  return sumOf(numbers, (number) => Math.abs(number - middle), spend) / numbers.length;
}

const ofSample = (numbers: readonly number[], spend: Spend) => deviation(numbers, 'sample', spend);
const ofPopulation = (numbers: readonly number[], spend: Spend) => deviation(numbers, 'population', spend);
const sampleVariance = (numbers: readonly number[], spend: Spend) => variance(numbers, 'sample', spend);
const populationVariance = (numbers: readonly number[], spend: Spend) =>
  variance(numbers, 'population', spend);

const stdevS = statistic('STDEV.S', ofSample);
const stdevP = statistic('STDEV.P', ofPopulation);
const varS = statistic('VAR.S', sampleVariance);
const varP = statistic('VAR.P', populationVariance);

export const SPREAD = [
  stdevS,
  alias('STDEV', stdevS),
  stdevP,
  alias('STDEVP', stdevP),
  varS,
  alias('VAR', varS),
  varP,
  alias('VARP', varP),
  statistic('STDEVA', ofSample, everyKind),
  statistic('STDEVPA', ofPopulation, everyKind),
  statistic('VARA', sampleVariance, everyKind),
  statistic('VARPA', populationVariance, everyKind),
  statistic('DEVSQ', (numbers, spend) =>
    numbers.length === 0 ? ERROR['#NUM!'] : squaredDeviations(numbers, spend),
  ),
  statistic('AVEDEV', meanDeviation),
  statistic('SKEW', ofAtLeast(3, skewness)),
  statistic(
    'SKEW.P',
    ofAtLeast(3, (numbers, spend) => standardMoment(numbers, 3, 'population', spend) / numbers.length),
  ),
  statistic('KURT', ofAtLeast(4, kurtosis)),
];
