import { ApiError } from '../../../contract/errors.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { type Cell, NewValues } from '../schema.ts';
import { quotedSheetName } from '../workbook/workbook.ts';
import { type A1Range, COLUMNS, formatRange, ROWS } from './a1.ts';
import type { CellEdit } from './cell-editing.ts';

/** Rows of cells as a client sends them. Rows may differ in length. */
export type Values = readonly (readonly Cell[])[];

/** Throws ApiError validation_failed for a value that is not allowed in a cell: it could be stored but not read back. */
export function requireCells(values: Values): void {
  // The schema is only used to describe an error: to check a hundred thousand cells with it takes about 3 ms.
  if (!areCells(values)) requireValues(NewValues.properties.values, values, '/values');
}

function areCells(values: unknown): boolean {
  if (!Array.isArray(values)) return false;
  for (const row of values) {
    if (!Array.isArray(row)) return false;
    for (let column = 0; column < row.length; column++) {
      const cell = row[column];
      const type = typeof cell;
      if (type !== 'string' && type !== 'boolean' && !(type === 'number' && Number.isFinite(cell)))
        return false;
    }
  }
  return true;
}

/** Number of cells. */
export function countCells(values: Values): number {
  let count = 0;
  for (const row of values) count += row.length;
  return count;
}

/** The size of the smallest rectangle that contains these rows. */
export function sizeOf(values: Values): { rows: number; columns: number } {
  const rows = values.findLastIndex((row) => row.length > 0) + 1;
  const columns = values.reduce((widest, row) => Math.max(widest, row.length), 0);
  return { rows, columns };
}

/** Throws ApiError values_exceed_range unless the values fit into the rectangle or, for an anchor, onto the sheet. */
export function checkFits({ form, area }: A1Range, values: Values, range: string): void {
  const { rows, columns } = sizeOf(values);
  const isAnchor = form === 'cell';
  const height = (isAnchor ? ROWS - 1 : area.bottom) - area.top + 1;
  const width = (isAnchor ? COLUMNS - 1 : area.right) - area.left + 1;
  if (rows <= height && columns <= width) return;
  const room = `${height} rows and ${width} columns`;
  throw new ApiError(
    'values_exceed_range',
    `The values have ${rows} rows and ${columns} columns, the range has room for ${room}; send fewer, or name a larger range or only its first cell.`,
    { range, rows, columns },
  );
}

/** The values as edits, starting at the top left corner of the range. */
export function editsOf({ area }: A1Range, values: Values): CellEdit[] {
  const edits: CellEdit[] = [];
  for (const [row, cells] of values.entries())
    for (let column = 0; column < cells.length; column++)
      edits.push({ row: area.top + row, column: area.left + column, input: inputOf(cells[column] ?? '') });
  return edits;
}

/** "An empty string deletes the cell." Negative zero is displayed as 0, so 0 is stored. */
function inputOf(cell: Cell): Cell | undefined {
  if (cell === '') return undefined;
  return cell === 0 ? 0 : cell;
}

/** "The range actually written"; if there are no values, the requested range. */
export function writtenRange(sheetName: string, { area, form }: A1Range, values: Values): string {
  const sheet = quotedSheetName(sheetName);
  const { rows, columns } = sizeOf(values);
  if (rows === 0) return formatRange(sheet, area, form);
  const { top, left } = area;
  return formatRange(sheet, { top, left, bottom: top + rows - 1, right: left + columns - 1 }, 'block');
}
