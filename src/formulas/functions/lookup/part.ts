import type { Grid, Value } from '../../values.ts';
import type { CallContext } from '../function.ts';
import { viewOf } from '../view.ts';

/** A rectangle out of a grid: a reference when the grid is one, else its values; one value alone is no grid. */
export function part(
  grid: Grid,
  top: number,
  left: number,
  rows: number,
  columns: number,
  context: CallContext,
): Value {
  if (grid.area) {
    const { sheet, top: firstRow, left: firstColumn } = grid.area;
    return context.reference({
      sheet,
      top: firstRow + top,
      left: firstColumn + left,
      bottom: firstRow + top + rows - 1,
      right: firstColumn + left + columns - 1,
    });
  }
  if (rows === 1 && columns === 1) return grid.at(top, left);
  const extent = { rows, columns, usedRows: grid.usedRows - top, usedColumns: grid.usedColumns - left };
  return viewOf(extent, (row, column) => grid.at(top + row, left + column), context.spend);
}
