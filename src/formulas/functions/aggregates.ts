import { finite } from '../conversions.ts';
import {
  largest,
  median,
  modes,
  quantileExclusive,
  quantileInclusive,
  smallest,
} from '../numerics/quantiles.ts';
import { average, deviation, sum, variance } from '../numerics/sums.ts';
import { foldLooking, lookingUp, type Spend } from '../spending.ts';
import { CellError, ERROR, type Grid, type NumericResult, type Scalar } from '../values.ts';
import { define, type FormulaFunction } from './function.ts';

interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** As in `Grid`; all of it when absent. */
  readonly usedRows?: number;
  readonly usedColumns?: number;
}

/** A grid whose values are those of other grids at other places: nothing is copied, so whole columns cost what is read. */
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
      const look = lookingUp(spend);
      for (let row = 0; row < this.usedRows; row++) {
        for (let column = 0; column < this.usedColumns; column++) {
          const value = at(row, column);
          look();
          if (value !== null) visit(value, row, column);
        }
      }
    },
  };
}

type PlacedAggregate = (numbers: readonly number[], k: number, spend: Spend) => NumericResult;
type Aggregate = (numbers: readonly number[], spend: Spend) => NumericResult;

export function largestOf(numbers: readonly number[], spend: Spend): number {
  return foldLooking(numbers, Number.NEGATIVE_INFINITY, (a, b) => Math.max(a, b), spend);
}

export function smallestOf(numbers: readonly number[], spend: Spend): number {
  return foldLooking(numbers, Number.POSITIVE_INFINITY, (a, b) => Math.min(a, b), spend);
}

export function productOf(numbers: readonly number[], spend: Spend): number {
  return foldLooking(numbers, 1, (product, number) => product * number, spend);
}

/** 0 of no number, as MAX and MIN answer. */
export function orZero(compute: (numbers: readonly number[], spend: Spend) => number): Aggregate {
  return (numbers, spend) => (numbers.length === 0 ? 0 : compute(numbers, spend));
}

/** What SUBTOTAL and AGGREGATE call by number; 3 is COUNTA and looks at cells instead. */
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

/** What AGGREGATE calls with a further number: which, or which part. */
export const PLACED_AGGREGATES = new Map<number, PlacedAggregate>([
  [14, largest],
  [15, smallest],
  [16, quantileInclusive],
  [17, (numbers, quarter, spend) => quantileInclusive(numbers, Math.trunc(quarter) / 4, spend)],
  [18, quantileExclusive],
  [19, (numbers, quarter, spend) => quantileExclusive(numbers, Math.trunc(quarter) / 4, spend)],
]);

export type Pair = readonly [number, number];

/**
 * The numbers at the same places of two grids, row by row; where either is none, the place is passed over. #N/A when
 * one grid has more cells, and the first error among the cells.
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

/** Declares a function of two grids of the same size, such as CORREL. */
export function pairs(
  name: string,
  compute: (pairs: readonly Pair[], spend: Spend) => number | CellError,
): FormulaFunction {
  return define(name, ['grid', 'grid'], ([one, other], context) => {
    const found = numberPairs(one, other);
    if (found instanceof CellError) return found;
    context.spend(found.length);
    const answer = compute(found, context.spend);
    return answer instanceof CellError ? answer : finite(answer);
  });
}

/** A row lies beside a column cell by cell. */
function sameAt(one: Grid, other: Grid, row: number, column: number): Scalar {
  if (one.columns === other.columns) return other.at(row, column);
  const place = row * one.columns + column;
  return other.at(Math.floor(place / other.columns), place % other.columns);
}
