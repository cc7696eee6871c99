import { gridOf, makeGrid } from '../../grids.ts';
import { MAX_COLUMNS } from '../../limits.ts';
import { determinant, inverse, type Matrix, multiply } from '../../numerics/matrix.ts';
import { clockTicker, type Spend } from '../../steps.ts';
import { CellError, ERROR, type Grid, type Value } from '../../values.ts';
import { type CallContext, define } from '../function.ts';

/** The cells as a matrix of numbers; #VALUE! for another type, the error for an error. */
export function matrixOf(grid: Grid, spend: Spend): Matrix | CellError {
  if (grid.usedRows < grid.rows || grid.usedColumns < grid.columns) return ERROR['#VALUE!'];
  const matrix: number[][] = [];
  const tick = clockTicker(spend);
  for (let row = 0; row < grid.rows; row += 1) {
    const numbers: number[] = [];
    for (let column = 0; column < grid.columns; column += 1) {
      tick();
      const value = grid.at(row, column);
      if (typeof value !== 'number') return value instanceof CellError ? value : ERROR['#VALUE!'];
      numbers.push(value);
    }
    matrix.push(numbers);
  }
  return matrix;
}

function squareOf(grid: Grid, context: CallContext): Matrix | CellError {
  if (grid.rows !== grid.columns) return ERROR['#VALUE!'];
  context.spend(grid.usedRows ** 3);
  return matrixOf(grid, context.spend);
}

function product(one: Grid, other: Grid, context: CallContext): Value {
  if (one.columns !== other.rows) return ERROR['#VALUE!'];
  context.spend(one.usedRows * one.usedColumns * other.usedColumns);
  const left = matrixOf(one, context.spend);
  const right = matrixOf(other, context.spend);
  if (left instanceof CellError) return left;
  if (right instanceof CellError) return right;
  return gridOf(multiply(left, right, context.spend), context.spend);
}

export const MATRICES = [
  define('MMULT', ['grid', 'grid'], ([one, other], context) => product(one, other, context)),
  define('MDETERM', ['grid'], ([grid], context) => {
    const matrix = squareOf(grid, context);
    return matrix instanceof CellError ? matrix : determinant(matrix, context.spend);
  }),
  define('MINVERSE', ['grid'], ([grid], context) => {
    const matrix = squareOf(grid, context);
    if (matrix instanceof CellError) return matrix;
    const inverted = inverse(matrix, context.spend);
    return inverted ? gridOf(inverted, context.spend) : ERROR['#NUM!'];
  }),
  define('MUNIT', ['number'], ([given], context) => {
    const size = Math.trunc(given);
    if (size < 1 || size > MAX_COLUMNS) return ERROR['#VALUE!'];
    context.spend(size * size);
    return makeGrid({ rows: size, columns: size }, (row, column) => Number(row === column), context.spend);
  }),
];
