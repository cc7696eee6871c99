import { numberOf } from '../../conversions.ts';
import { gridOf, isGrid } from '../../grids.ts';
import { lift } from '../../lift.ts';
import { sum, sumOf, sumOfProducts } from '../../numerics/sums.ts';
import { clockTicker, type Spend } from '../../steps.ts';
import { CellError, ERROR, type Grid, type Scalar, type Value } from '../../values.ts';
import {
  AGGREGATES,
  AGGREGATES_WITH_ARGUMENT,
  numberPairs,
  orZero,
  pairs,
  productOf,
} from '../aggregates.ts';
import { chosenNumbers, readConditions, sameShape, sumRange } from '../conditional.ts';
import { type CallContext, define, type FormulaFunction } from '../function.ts';
import { collectNumbers, gridsOf, isCells, statistic } from '../numbers.ts';

/** Non-numeric cells count as 0, so only the cells of the sparsest grid are visited. */
function sumProduct(grids: readonly Grid[], context: CallContext): Value {
  const [first] = grids;
  if (!first || !grids.every((grid) => sameShape(grid, first))) return ERROR['#VALUE!'];
  const error = firstError(grids, context);
  if (error) return error;
  const [products, others]: [number[], readonly Grid[]] = [[], grids.slice(1)];
  const tick = clockTicker(context.spend);
  first.each((value, row, column) => {
    if (typeof value !== 'number') return;
    let product = value;
    for (const grid of others) {
      tick();
      const factor = grid.at(row, column);
      product *= typeof factor === 'number' ? factor : 0;
    }
    products.push(product);
  });
  return sum(products, context.spend);
}

function firstError(grids: readonly Grid[], context: CallContext): CellError | undefined {
  let error: CellError | undefined;
  for (const grid of grids) {
    let visited = 0;
    grid.each((value) => {
      visited += 1;
      if (value instanceof CellError) error ??= value;
    });
    context.spend(visited);
  }
  return error;
}

function seriesSum(
  x: number,
  start: number,
  step: number,
  coefficients: ReturnType<typeof numberPairs>,
  spend: Spend,
): number | CellError {
  if (coefficients instanceof CellError) return coefficients;
  if (x === 0 && start === 0) return ERROR['#NUM!'];
  return sumOf(coefficients, ([coefficient], i) => coefficient * x ** (start + i * step), spend);
}

/** Uses the cached partial sums of cells where available. */
function sumQuickly(plain: FormulaFunction): FormulaFunction {
  const call = plain.call as (given: readonly Value[], context: CallContext) => Value;
  return {
    ...plain,
    call: (given: readonly Value[], context: CallContext) =>
      call(
        given.map((value) => withPartialSums(value, context.spend)),
        context,
      ),
  };
}

function withPartialSums(value: Value, spend: Spend): Value {
  const sums = isGrid(value) ? value.sums?.() : undefined;
  return sums === undefined ? value : gridOf([sums], spend);
}

const percentOf = define('PERCENTOF', ['any', 'any'], ([part, all], context) => {
  const [some, whole] = [collectNumbers([part]), collectNumbers([all])];
  if (some instanceof CellError) return some;
  if (whole instanceof CellError) return whole;
  context.spend(some.length + whole.length);
  const total = sum(whole, context.spend);
  return total === 0 ? ERROR['#DIV/0!'] : sum(some, context.spend) / total;
});

export const SUMS = [
  percentOf,
  sumQuickly(statistic('SUM', sum)),
  statistic('SUMSQ', (numbers, spend) => sumOfProducts(numbers, numbers, spend)),
  statistic('PRODUCT', orZero(productOf)),
  define('SUMPRODUCT', ['grid'], (grids: readonly Grid[], context) => sumProduct(grids, context), {
    repeats: 1,
  }),
  pairs('SUMX2MY2', (all, spend) => sumOf(all, ([x, y]) => x * x - y * y, spend)),
  pairs('SUMX2PY2', (all, spend) => sumOf(all, ([x, y]) => x * x + y * y, spend)),
  pairs('SUMXMY2', (all, spend) => sumOf(all, ([x, y]) => (x - y) ** 2, spend)),
  define(
    'SERIESSUM',
    ['number', 'number', 'number', 'grid'],
    ([x, start, step, grid], context) => seriesSum(x, start, step, numberPairs(grid, grid), context.spend),
    { addIn: true },
  ),
];

function sumWhere(values: Grid, given: readonly (Grid | Scalar)[], context: CallContext): Value {
  const conditions = readConditions(given, values);
  if (conditions instanceof CellError) return conditions;
  const chosen = chosenNumbers(values, conditions, context);
  return chosen instanceof CellError ? chosen : sum(chosen, context.spend);
}

export const CONDITIONAL_SUMS = [
  define(
    'SUMIF',
    ['grid', 'scalar', 'grid'],
    ([cells, wanted, values = cells], context) =>
      sumWhere(sumRange(cells, values, context), [cells, wanted], context),
    { required: 2, takesErrors: 'exceptAsCells' },
  ),
  define(
    'SUMIFS',
    ['grid', 'grid', 'scalar'],
    ([values, ...given], context) => sumWhere(values, given, context),
    { repeats: 2, takesErrors: 'exceptAsCells' },
  ),
];

/** The cells that are skipped. */
interface Skipped {
  /** Rows hidden by a filter, all hidden rows, or none. */
  readonly rows: 'filtered' | 'hidden' | 'none';
  readonly subtotals: boolean;
  readonly errors: boolean;
}

const COUNT = 2;
const COUNT_ALL = 3;
/** From this function number on AGGREGATE takes a further argument, such as k. */
const FIRST_WITH_ARGUMENT = 14;
/** Quoted texts and sheet names contain no calls. */
const QUOTED = /"[^"]*"|'[^']*'/g;

/** Totals skip cells that contain totals themselves: their inputs would count twice. */
function isSubtotal(grid: Grid, row: number, column: number, context: CallContext): boolean {
  if (!grid.area) return false;
  const { sheet, top, left } = grid.area;
  const formula = context.formula(sheet, top + row, left + column);
  return formula !== undefined && /\b(?:SUBTOTAL|AGGREGATE)\s*\(/i.test(formula.replace(QUOTED, ''));
}

/** Returns a test whether a row of a grid is skipped; rows of computed arrays never are. */
function skippedRows({ area }: Grid, { rows }: Skipped, context: CallContext): (row: number) => boolean {
  if (!area || rows === 'none') return () => false;
  return (row) => {
    const why = context.hiddenReason(area.sheet, area.top + row);
    return rows === 'hidden' ? why !== undefined : why === 'byFilter';
  };
}

function countedCells(values: readonly Value[], skipped: Skipped, context: CallContext): Scalar[] {
  const cells: Scalar[] = [];
  for (const value of values) {
    for (const grid of isCells(value) ? gridsOf(value) : []) {
      const isPassed = skippedRows(grid, skipped, context);
      grid.each((cell, row, column) => {
        if (skipped.errors && cell instanceof CellError) return;
        if (isPassed(row)) return;
        if (!skipped.subtotals || !isSubtotal(grid, row, column, context)) cells.push(cell);
      });
    }
    if (!isCells(value)) cells.push(value);
  }
  context.spend(cells.length);
  return cells;
}

function total(code: number, cells: readonly Scalar[], spend: Spend): Scalar {
  if (code === COUNT_ALL) return cells.length;
  const error = cells.find((cell) => cell instanceof CellError);
  if (error && code !== COUNT) return error;
  return AGGREGATES.get(code)?.(numbersAmong(cells), spend) ?? ERROR['#VALUE!'];
}

function aggregateWithArgument(code: number, cells: readonly Scalar[], k: number, spend: Spend): Scalar {
  const error = cells.find((cell) => cell instanceof CellError);
  return error ?? AGGREGATES_WITH_ARGUMENT.get(code)?.(numbersAmong(cells), k, spend) ?? ERROR['#VALUE!'];
}

function numbersAmong(cells: readonly Scalar[]): number[] {
  return cells.filter((cell) => typeof cell === 'number');
}

function subtotal(code: number, values: readonly Value[], context: CallContext): Value {
  const plain = Math.trunc(code) % 100;
  if (code < 1 || code >= 112 || plain < 1 || plain > 11) return ERROR['#VALUE!'];
  const rows = code >= 101 ? 'hidden' : 'filtered';
  return totalOfReferences(plain, values, { rows, subtotals: true, errors: false }, context);
}

function aggregate(given: number, choice: number, values: readonly Value[], context: CallContext): Value {
  const code = Math.trunc(given);
  const option = Math.trunc(choice);
  if (code < 1 || code > 19 || option < 0 || option > 7) return ERROR['#VALUE!'];
  const skipped: Skipped = {
    rows: option % 2 === 1 ? 'hidden' : 'none',
    subtotals: option < 4,
    errors: [2, 3, 6, 7].includes(option),
  };
  if (code < FIRST_WITH_ARGUMENT) return totalOfReferences(code, values, skipped, context);
  const [cells = null, argument] = values;
  if (argument === undefined || values.length > 2) return ERROR['#VALUE!'];
  const counted = countedCells([cells], skipped, context);
  const at = ([given = null]: readonly Scalar[]): Scalar => {
    const k = numberOf(given);
    return k instanceof CellError ? k : aggregateWithArgument(code, counted, k, context.spend);
  };
  return lift([argument], at, (steps) => context.spend(steps * (counted.length + 1)));
}

/** For computed arrays only the functions with a further argument exist. */
function totalOfReferences(
  code: number,
  values: readonly Value[],
  skipped: Skipped,
  context: CallContext,
): Scalar {
  const missing = values.find((value) => value instanceof CellError);
  if (missing !== undefined) return missing;
  const areReferences = values.every(
    (value) => isCells(value) && gridsOf(value).every(({ area }) => area !== undefined),
  );
  return areReferences
    ? total(code, countedCells(values, skipped, context), context.spend)
    : ERROR['#VALUE!'];
}

export const SUBTOTALS = [
  define('SUBTOTAL', ['number', 'any'], ([code, ...values], context) => subtotal(code, values, context), {
    repeats: 1,
    takesErrors: true,
    eachReference: true,
  }),
  define(
    'AGGREGATE',
    ['number', 'number', 'any'],
    ([code, option, ...values], context) => aggregate(code, option, values, context),
    { repeats: 1, takesErrors: true },
  ),
];
