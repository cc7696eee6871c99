import type { Grid, Scalar } from '../../values.ts';

/** A row or a column of a grid, up to where it is used: what lies behind is empty. */
export interface Vector {
  readonly length: number;
  at(index: number): Scalar;
  /** Where a value stands first, or last, as `Grid.findRow` tells; absent of a row. */
  find?(value: number | string | boolean, fromEnd: boolean): number | undefined;
}

export function columnOf(grid: Grid, column: number): Vector {
  return {
    length: grid.usedRows,
    at: (index) => grid.at(index, column),
    find: (value, fromEnd) => grid.findRow?.(column, value, fromEnd),
  };
}

export function rowOf(grid: Grid, row: number): Vector {
  return { length: grid.usedColumns, at: (index) => grid.at(row, index) };
}

/** A grid of one row or one column as a vector; undefined of a wider one. */
export function vectorOf(grid: Grid): Vector | undefined {
  if (grid.columns === 1) return columnOf(grid, 0);
  return grid.rows === 1 ? rowOf(grid, 0) : undefined;
}
