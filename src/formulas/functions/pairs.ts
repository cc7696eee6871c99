import { finite } from '../conversions.ts';
import type { Spend } from '../spending.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../values.ts';
import { define } from './define.ts';
import type { FormulaFunction } from './function.ts';

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
