import { gridOf } from '../../grids.ts';
import { determinant, identity, inverse, type Matrix, multiply } from '../../numerics/matrix.ts';
import { CellError, ERROR, type Grid, type Value } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { matrixOf } from '../matrix-of.ts';

function squareOf(grid: Grid, context: CallContext): Matrix | CellError {
  if (grid.rows !== grid.columns) return ERROR['#VALUE!'];
  context.spend(grid.usedRows ** 3);
  return matrixOf(grid);
}

function product(one: Grid, other: Grid, context: CallContext): Value {
  if (one.columns !== other.rows) return ERROR['#VALUE!'];
  context.spend(one.usedRows * one.usedColumns * other.usedColumns);
  const left = matrixOf(one);
  const right = matrixOf(other);
  if (left instanceof CellError) return left;
  return right instanceof CellError ? right : gridOf(multiply(left, right));
}

export const MATRICES = [
  define('MMULT', ['grid', 'grid'], ([one, other], context) => product(one, other, context)),
  define('MDETERM', ['grid'], ([grid], context) => {
    const matrix = squareOf(grid, context);
    return matrix instanceof CellError ? matrix : determinant(matrix);
  }),
  define('MINVERSE', ['grid'], ([grid], context) => {
    const matrix = squareOf(grid, context);
    if (matrix instanceof CellError) return matrix;
    const inverted = inverse(matrix);
    return inverted ? gridOf(inverted) : ERROR['#NUM!'];
  }),
  define('MUNIT', ['number'], ([given], context) => {
    const size = Math.trunc(given);
    if (size < 1 || size > 16_384) return ERROR['#VALUE!'];
    context.spend(size * size);
    return gridOf(identity(size));
  }),
];
