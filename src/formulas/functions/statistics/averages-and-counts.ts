import { numberOf } from '../../conversions.ts';
import { makeGrid } from '../../grids.ts';
import { ascending, median, modes } from '../../numerics/quantiles.ts';
import { average, mean, sumOf } from '../../numerics/sums.ts';
import type { Spend } from '../../steps.ts';
import { CellError, ERROR, type Grid, type Scalar, type Value } from '../../values.ts';
import { largestOf, orZero, smallestOf } from '../aggregates.ts';
import { chosenNumbers, countChosen, readConditions, sumRange } from '../conditional.ts';
import { type CallContext, define, type FormulaFunction } from '../function.ts';
import { alias, collectNumbers, everyKind, gridsOf, isCells, numbersOf, statistic } from '../numbers.ts';

function geometricMean(numbers: readonly number[], spend: Spend): number {
  if (numbers.length === 0 || numbers.some((number) => number <= 0)) return Number.NaN;
  return Math.exp(sumOf(numbers, (number) => Math.log(number), spend) / numbers.length);
}

function harmonicMean(numbers: readonly number[], spend: Spend): number {
  if (numbers.length === 0 || numbers.some((number) => number <= 0)) return Number.NaN;
  return numbers.length / sumOf(numbers, (number) => 1 / number, spend);
}

/** The mean without a fraction of the numbers, half of it at each end. */
function trimmedMean(numbers: readonly number[], fraction: number, spend: Spend): number {
  if (fraction < 0 || fraction >= 1 || numbers.length === 0) return Number.NaN;
  const cut = Math.floor((numbers.length * fraction) / 2);
  return mean(ascending(numbers, spend).subarray(cut, numbers.length - cut), spend);
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
  define('TRIMMEAN', ['grid', 'number'], ([grid, fraction], context) => {
    const numbers = numbersOf(grid);
    return numbers instanceof CellError ? numbers : trimmedMean(numbers, fraction, context.spend);
  }),
];

type Counted = (value: Scalar) => boolean;

/** Counts values: cells by one rule, single values by another. */
function count(values: readonly Value[], ofCell: Counted, ofSingle: Counted): number {
  let found = 0;
  for (const value of values) {
    if (isCells(value)) found += countCells(gridsOf(value), ofCell);
    else if (ofSingle(value)) found += 1;
  }
  return found;
}

function countCells(grids: readonly Grid[], counted: Counted): number {
  let found = 0;
  for (const grid of grids) {
    grid.each((cell) => {
      if (counted(cell)) found += 1;
    });
  }
  return found;
}

function countBlank(grid: Grid): number {
  return grid.rows * grid.columns - countCells([grid], (cell) => cell !== '');
}

export const COUNTS = [
  define(
    'COUNT',
    ['any'],
    (values: readonly Value[]) =>
      count(
        values,
        (cell) => typeof cell === 'number',
        (value) => !(numberOf(value) instanceof CellError),
      ),
    { repeats: 1, takesErrors: true },
  ),
  define(
    'COUNTA',
    ['any'],
    (values: readonly Value[]) =>
      count(
        values,
        () => true,
        () => true,
      ),
    { repeats: 1, takesErrors: true },
  ),
  define('COUNTBLANK', ['grid'], ([grid]) => countBlank(grid)),
];

type Compute = (numbers: readonly number[], spend: Spend) => number | CellError;

function computeWhere(
  values: Grid,
  given: readonly (Grid | Scalar)[],
  compute: Compute,
  context: CallContext,
): Value {
  const conditions = readConditions(given, values);
  if (conditions instanceof CellError) return conditions;
  const chosen = chosenNumbers(values, conditions, context);
  return chosen instanceof CellError ? chosen : compute(chosen, context.spend);
}

function countWhere(given: readonly (Grid | Scalar)[], context: CallContext): Value {
  const [first] = given;
  const conditions = readConditions(given, first as Grid);
  return conditions instanceof CellError ? conditions : countChosen(conditions, context);
}

/** Defines a function such as AVERAGEIFS: values, then pairs of cells and a criterion. */
function conditionalStatistic(name: string, compute: Compute): FormulaFunction {
  return define(
    name,
    ['grid', 'grid', 'scalar'],
    ([values, ...given], context) => computeWhere(values, given, compute, context),
    { repeats: 2, takesErrors: 'exceptAsCells' },
  );
}

export const CONDITIONAL_STATISTICS = [
  define(
    'AVERAGEIF',
    ['grid', 'scalar', 'grid'],
    ([cells, wanted, values = cells], context) =>
      computeWhere(sumRange(cells, values, context), [cells, wanted], average, context),
    { required: 2, takesErrors: 'exceptAsCells' },
  ),
  conditionalStatistic('AVERAGEIFS', average),
  conditionalStatistic('MAXIFS', orZero(largestOf)),
  conditionalStatistic('MINIFS', orZero(smallestOf)),
  define('COUNTIF', ['grid', 'scalar'], (given, context) => countWhere(given, context), {
    takesErrors: 'exceptAsCells',
  }),
  define('COUNTIFS', ['grid', 'scalar'], (given, context) => countWhere(given, context), {
    repeats: 2,
    takesErrors: 'exceptAsCells',
  }),
];
