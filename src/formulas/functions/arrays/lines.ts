import { makeGrid } from '../../grids.ts';
import type { Grid, Scalar } from '../../values.ts';
import type { CallContext } from '../function.ts';

/** Rows of a grid, or its columns, as lists of values: what FILTER, SORT and UNIQUE keep or move as a whole. */
export function linesOf(grid: Grid, byColumn: boolean, context: CallContext): Scalar[][] {
  const [lines, length] = byColumn ? [grid.columns, grid.rows] : [grid.rows, grid.columns];
  context.spend(lines * length);
  return Array.from({ length: lines }, (_, line) =>
    Array.from({ length }, (_, place) => (byColumn ? grid.at(place, line) : grid.at(line, place))),
  );
}

/** Lines, of which there is one at least, as a grid. */
export function gridOfLines(lines: readonly (readonly Scalar[])[], byColumn: boolean): Grid {
  const length = lines[0]?.length ?? 0;
  return byColumn
    ? makeGrid(length, lines.length, (row, column) => lines[column]?.[row] ?? null)
    : makeGrid(lines.length, length, (row, column) => lines[row]?.[column] ?? null);
}
