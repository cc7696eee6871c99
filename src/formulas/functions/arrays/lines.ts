import { lookingUp } from '../../spending.ts';
import type { Grid, Scalar } from '../../values.ts';
import type { CallContext } from '../function.ts';
import { viewOf } from '../view.ts';

/** Rows of a grid, or its columns: what FILTER, SORT and UNIQUE keep or move as a whole. */
export interface Lines {
  readonly length: number;
  /** Every line from here on is empty. */
  readonly used: number;
  /** How many values each has. */
  readonly width: number;
  line(index: number): Scalar[];
}

/** The rows or the columns of a grid. */
export function linesOf(grid: Grid, byColumn: boolean, context: CallContext): Lines {
  const [length, used, width] = byColumn
    ? [grid.columns, grid.usedColumns, grid.rows]
    : [grid.rows, grid.usedRows, grid.columns];
  const look = lookingUp(context.spend);
  return {
    length,
    used,
    width,
    line(index) {
      context.spend(width);
      return Array.from({ length: width }, (_, place) => {
        look();
        return byColumn ? grid.at(place, index) : grid.at(index, place);
      });
    },
  };
}

/** Some lines, and empty ones after them, as a grid. */
export function gridOfLines(
  lines: readonly (readonly Scalar[])[],
  byColumn: boolean,
  context: CallContext,
  length = lines.length,
): Grid {
  const width = lines[0]?.length ?? 1;
  const spend = (steps: number): void => context.spend(steps);
  return byColumn
    ? viewOf(
        { rows: width, columns: length, usedColumns: lines.length },
        (row, column) => lines[column]?.[row] ?? null,
        spend,
      )
    : viewOf(
        { rows: length, columns: width, usedRows: lines.length },
        (row, column) => lines[row]?.[column] ?? null,
        spend,
      );
}
