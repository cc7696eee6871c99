import { lookingUp, type Spend } from '../spending.ts';
import type { Grid, Scalar } from '../values.ts';

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
