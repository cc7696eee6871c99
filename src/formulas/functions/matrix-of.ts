import type { Matrix } from '../numerics/matrix.ts';
import { lookingUp, type Spend } from '../spending.ts';
import { CellError, ERROR, type Grid } from '../values.ts';

/** All the cells as numbers; #VALUE! when one is none, the error when one is an error. */
export function matrixOf(grid: Grid, spend: Spend): Matrix | CellError {
  if (grid.usedRows < grid.rows || grid.usedColumns < grid.columns) return ERROR['#VALUE!'];
  const matrix: number[][] = [];
  const look = lookingUp(spend);
  for (let row = 0; row < grid.rows; row += 1) {
    const numbers: number[] = [];
    for (let column = 0; column < grid.columns; column += 1) {
      look();
      const value = grid.at(row, column);
      if (typeof value !== 'number') return value instanceof CellError ? value : ERROR['#VALUE!'];
      numbers.push(value);
    }
    matrix.push(numbers);
  }
  return matrix;
}
