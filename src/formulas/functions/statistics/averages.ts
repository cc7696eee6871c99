import { makeGrid } from '../../grids.ts';
import { average } from '../../numerics/moments.ts';
import { median, modes, sorted } from '../../numerics/quantiles.ts';
import { mean, sumOf } from '../../numerics/sums.ts';
import type { Spend } from '../../spending.ts';
import { CellError, ERROR, type Value } from '../../values.ts';
import { largestOf, orZero, smallestOf } from '../aggregates.ts';
import { define } from '../define.ts';
import { collectNumbers, everyKind, numbersOf } from '../numbers.ts';
import { alias, statistic } from '../numeric.ts';

function geometricMean(numbers: readonly number[], spend: Spend): number {
  if (numbers.length === 0 || numbers.some((number) => number <= 0)) return Number.NaN;
  return Math.exp(sumOf(numbers, (number) => Math.log(number), spend) / numbers.length);
}

function harmonicMean(numbers: readonly number[], spend: Spend): number {
  if (numbers.length === 0 || numbers.some((number) => number <= 0)) return Number.NaN;
  return numbers.length / sumOf(numbers, (number) => 1 / number, spend);
}

/** The mean of what is left when a part of all is cut off, half of it at each end. */
function trimmedMean(numbers: readonly number[], part: number, spend: Spend): number {
  if (part < 0 || part >= 1 || numbers.length === 0) return Number.NaN;
  const cut = Math.floor((numbers.length * part) / 2);
  return mean(sorted(numbers, spend).subarray(cut, numbers.length - cut), spend);
}

function severalModes(values: readonly Value[], spend: Spend): Value {
  const numbers = collectNumbers(values);
  if (numbers instanceof CellError) return numbers;
  const found = modes(numbers, spend);
  return found.length === 0
    ? ERROR['#N/A']
    : makeGrid({ rows: found.length, columns: 1 }, (row) => found[row] ?? null, spend);
}

const singleMode = statistic('MODE.SNGL', (numbers, spend) => modes(numbers, spend)[0] ?? ERROR['#N/A']);

export const AVERAGES = [
  statistic('AVERAGE', average),
  statistic('AVERAGEA', average, everyKind),
  statistic('MAX', orZero(largestOf)),
  statistic('MAXA', orZero(largestOf), everyKind),
  statistic('MIN', orZero(smallestOf)),
  statistic('MINA', orZero(smallestOf), everyKind),
  statistic('MEDIAN', median),
  singleMode,
  alias('MODE', singleMode),
  define('MODE.MULT', ['any'], (values: readonly Value[], context) => severalModes(values, context.spend), {
    repeats: 1,
  }),
  statistic('GEOMEAN', geometricMean),
  statistic('HARMEAN', harmonicMean),
  define('TRIMMEAN', ['grid', 'number'], ([grid, part], context) => {
    const numbers = numbersOf(grid);
    return numbers instanceof CellError ? numbers : trimmedMean(numbers, part, context.spend);
  }),
];
