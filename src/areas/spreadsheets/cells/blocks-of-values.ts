import { ApiError } from '../../../contract/errors.ts';
import type { Problem } from '../../../contract/operation.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { refuse } from '../../../contract/validation.ts';
import { inputOfText } from '../../../formulas/text-formula.ts';
import { type Cell, type Input, NewValues } from '../schema.ts';
import { quotedSheetName } from '../workbook/workbook.ts';
import { type A1Range, COLUMNS, formatRange, ROWS } from './a1.ts';
import type { CellEdit } from './cell-editing.ts';
import { type DateKind, serialOf, WANTED_DATES } from './dates.ts';

/** Rows of anything, one for each cell, as a client sends them. Rows may differ in length. */
export type Rows<T = unknown> = readonly (readonly T[])[];

export type Values = Rows<Cell>;

/** Throws ApiError validation_failed for a value that is not allowed in a cell: it could be stored but not read back. */
export function requireCells(values: Values): void {
  // The schema is only used to describe an error: to check a hundred thousand cells with it takes about 3 ms.
  if (areCells(values)) return;
  requireValues(NewValues.properties.values, values, '/values');
  refuse(cellProblems(values, '/values'));
}

function areCells(values: unknown): boolean {
  if (!Array.isArray(values)) return false;
  for (const row of values) {
    if (!Array.isArray(row)) return false;
    for (let column = 0; column < row.length; column++) {
      const cell = row[column];
      const type = typeof cell;
      if (type === 'object' ? !isTyped(cell) || wrongDate(cell) !== undefined : !isPlain(cell)) return false;
    }
  }
  return true;
}

function isPlain(cell: unknown): boolean {
  return typeof cell === 'string' || typeof cell === 'boolean' || Number.isFinite(cell);
}

/** A cell that says what it is. */
type TypedCell = Extract<Cell, object>;

function isTyped(cell: unknown): cell is TypedCell {
  if (typeof cell !== 'object' || cell === null) return false;
  const [member, ...others] = Object.entries(cell);
  if (member === undefined || others.length > 0) return false;
  const [name, value] = member;
  return typeof value === 'string' && ['text', 'date', 'datetime'].includes(name);
}

/** The cells that are to be a date and name none. */
export function cellProblems(values: Rows, pointer: string): Problem[] {
  const problems: Problem[] = [];
  for (const [row, cells] of values.entries()) {
    for (let column = 0; column < cells.length; column++) {
      const cell = cells[column];
      const kind = isTyped(cell) ? wrongDate(cell) : undefined;
      if (kind === undefined) continue;
      const at = `${pointer}/${row}/${column}/${kind}`;
      problems.push({ pointer: at, code: 'wrong_format', message: WANTED_DATES[kind] });
    }
  }
  return problems;
}

/** The kind of date that a cell is to be and is not; undefined for any other cell. */
function wrongDate(cell: TypedCell): DateKind | undefined {
  if ('date' in cell) return serialOf('date', cell.date) === undefined ? 'date' : undefined;
  if ('datetime' in cell) return serialOf('datetime', cell.datetime) === undefined ? 'datetime' : undefined;
  return undefined;
}

/** Number of cells. */
export function countCells(values: Rows): number {
  let count = 0;
  for (const row of values) count += row.length;
  return count;
}

/** The size of the smallest rectangle that contains these rows. */
export function sizeOf(values: Rows): { rows: number; columns: number } {
  const rows = values.findLastIndex((row) => row.length > 0) + 1;
  const columns = values.reduce((widest, row) => Math.max(widest, row.length), 0);
  return { rows, columns };
}

/** Throws ApiError values_exceed_range unless the rows fit into the rectangle or, for an anchor, onto the sheet. */
export function checkFits({ form, area }: A1Range, values: Rows, range: string): void {
  const { rows, columns } = sizeOf(values);
  const isAnchor = form === 'cell';
  const height = (isAnchor ? ROWS - 1 : area.bottom) - area.top + 1;
  const width = (isAnchor ? COLUMNS - 1 : area.right) - area.left + 1;
  if (rows <= height && columns <= width) return;
  const room = `${height} rows and ${width} columns`;
  throw new ApiError(
    'values_exceed_range',
    `These are ${rows} rows and ${columns} columns, the range has room for ${room}; send fewer, or name a larger range or only its first cell.`,
    { range, rows, columns },
  );
}

/** The values as edits, starting at the top left corner of the range. */
export function editsOf({ area }: A1Range, values: Values, mode: Input): CellEdit[] {
  const edits: CellEdit[] = [];
  for (const [row, cells] of values.entries())
    for (let column = 0; column < cells.length; column++)
      edits.push(editOf(area.top + row, area.left + column, cells[column] ?? '', mode));
  return edits;
}

function editOf(row: number, column: number, cell: Cell, mode: Input): CellEdit {
  if (typeof cell === 'string') return { row, column, input: inputOfEntered(cell, mode) };
  // Negative zero is displayed as 0, so 0 is stored.
  if (typeof cell !== 'object') return { row, column, input: cell === 0 ? 0 : cell };
  if ('text' in cell) return { row, column, input: inputOfEntered(cell.text, 'raw') };
  return 'date' in cell
    ? { row, column, input: serialOf('date', cell.date), shows: 'date' }
    : { row, column, input: serialOf('datetime', cell.datetime), shows: 'datetime' };
}

/** "An empty string deletes the cell." A text is never taken for a number: "1" and 1 differ. */
function inputOfEntered(text: string, mode: Input): string | undefined {
  if (text === '') return undefined;
  return mode === 'raw' ? inputOfText(text) : text;
}

/** "The range actually written"; if there are no values, the requested range. */
export function writtenRange(sheetName: string, { area, form }: A1Range, values: Rows): string {
  const sheet = quotedSheetName(sheetName);
  const { rows, columns } = sizeOf(values);
  if (rows === 0) return formatRange(sheet, area, form);
  const { top, left } = area;
  return formatRange(sheet, { top, left, bottom: top + rows - 1, right: left + columns - 1 }, 'block');
}
