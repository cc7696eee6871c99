import { finiteOrError } from '../conversions.ts';
import {
  largest,
  median,
  modes,
  quantileExclusive,
  quantileInclusive,
  smallest,
} from '../numerics/quantiles.ts';
import { average, deviation, sum, variance } from '../numerics/sums.ts';
import { clockTicker, foldWithTicks, type Spend } from '../steps.ts';
import { CellError, ERROR, type Grid, type NumericResult, type Scalar } from '../values.ts';
import { define, type FormulaFunction } from './function.ts';

interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** As in `Grid`; absent: the whole grid. */
  readonly usedRows?: number;
  readonly usedColumns?: number;
}

/**
 * A grid that maps its cells to cells of other grids without copying, so a whole column costs only the cells that
 * are read.
 */
export function viewOf(
  { rows, columns, usedRows = rows, usedColumns = columns }: Extent,
  at: (row: number, column: number) => Scalar,
  spend: Spend,
): Grid {
  const inside = (row: number, column: number): boolean =>
    row >= 0 && column >= 0 && row < usedRows && column < usedColumns;
  return {
    rows,
    columns,
    usedRows: Math.min(usedRows, rows),
    usedColumns: Math.min(usedColumns, columns),
    at: (row, column) => (inside(row, column) ? at(row, column) : null),
    each(visit) {
      spend(this.usedRows * this.usedColumns);
      const tick = clockTicker(spend);
      for (let row = 0; row < this.usedRows; row++) {
        for (let column = 0; column < this.usedColumns; column++) {
          const value = at(row, column);
          tick();
          if (value !== null) visit(value, row, column);
        }
      }
    },
  };
}

type AggregateWithArgument = (numbers: readonly number[], k: number, spend: Spend) => NumericResult;
type Aggregate = (numbers: readonly number[], spend: Spend) => NumericResult;

export function largestOf(numbers: readonly number[], spend: Spend): number {
  return foldWithTicks(numbers, Number.NEGATIVE_INFINITY, (a, b) => Math.max(a, b), spend);
}

export function smallestOf(numbers: readonly number[], spend: Spend): number {
  return foldWithTicks(numbers, Number.POSITIVE_INFINITY, (a, b) => Math.min(a, b), spend);
}

export function productOf(numbers: readonly number[], spend: Spend): number {
  return foldWithTicks(numbers, 1, (product, number) => product * number, spend);
}

/** Wraps an aggregate to return 0 for no numbers, as MAX and MIN do. */
export function orZero(compute: (numbers: readonly number[], spend: Spend) => number): Aggregate {
  return (numbers, spend) => (numbers.length === 0 ? 0 : compute(numbers, spend));
}

/** The functions of SUBTOTAL and AGGREGATE by number, without 3 (COUNTA), which counts cells. */
export const AGGREGATES = new Map<number, Aggregate>([
  [1, average],
  [2, (numbers) => numbers.length],
  [4, orZero(largestOf)],
  [5, orZero(smallestOf)],
  [6, orZero(productOf)],
  [7, (numbers, spend) => deviation(numbers, 'sample', spend)],
  [8, (numbers, spend) => deviation(numbers, 'population', spend)],
  [9, sum],
  [10, (numbers, spend) => variance(numbers, 'sample', spend)],
  [11, (numbers, spend) => variance(numbers, 'population', spend)],
  [12, median],
  [13, (numbers, spend) => modes(numbers, spend)[0] ?? ERROR['#N/A']],
]);

/** The functions of AGGREGATE with a further argument, such as k or a fraction. */
export const AGGREGATES_WITH_ARGUMENT = new Map<number, AggregateWithArgument>([
  [14, largest],
  [15, smallest],
  [16, quantileInclusive],
  [17, (numbers, quarter, spend) => quantileInclusive(numbers, Math.trunc(quarter) / 4, spend)],
  [18, quantileExclusive],
  [19, (numbers, quarter, spend) => quantileExclusive(numbers, Math.trunc(quarter) / 4, spend)],
]);

export type Pair = readonly [number, number];

/**
 * The numbers at equal positions of two grids, row by row, skipping positions without two numbers. #N/A when the
 * grids differ in size; else the first error among the cells.
 */
export function numberPairs(one: Grid, other: Grid): readonly Pair[] | CellError {
  if (one.rows * one.columns !== other.rows * other.columns) return ERROR['#N/A'];
  const found: Pair[] = [];
  let error: CellError | undefined;
  one.each((x, row, column) => {
    const y = sameAt(one, other, row, column);
    if (x instanceof CellError) error ??= x;
    else if (typeof x === 'number' && typeof y === 'number') found.push([x, y]);
  });
  other.each((y) => {
    if (y instanceof CellError) error ??= y;
  });
  return error ?? found;
}

/** Defines a function of two grids of the same size, such as CORREL. */
export function pairs(
  name: string,
  compute: (pairs: readonly Pair[], spend: Spend) => number | CellError,
): FormulaFunction {
  return define(name, ['grid', 'grid'], ([one, other], context) => {
    const found = numberPairs(one, other);
    if (found instanceof CellError) return found;
    context.spend(found.length);
    const answer = compute(found, context.spend);
    return answer instanceof CellError ? answer : finiteOrError(answer);
  });
}

/** Pairs cells by their row-major order, so a row matches a column. */
function sameAt(one: Grid, other: Grid, row: number, column: number): Scalar {
  if (one.columns === other.columns) return other.at(row, column);
  const index = row * one.columns + column;
  return other.at(Math.floor(index / other.columns), index % other.columns);
}
