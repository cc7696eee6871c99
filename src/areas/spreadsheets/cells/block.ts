import { giveWay } from '../../../turns/next-turn.ts';
import type { Rectangle } from './a1.ts';

/** Cells are stored by blocks of so many neighbouring places: a write rewrites little, a read reads few rows. */
export const BLOCK_ROWS = 32;
export const BLOCK_COLUMNS = 8;

/** What is stored of a cell; a text that begins with "=" and goes on is a formula. */
export type CellValue = string | number | boolean;

/** Which block of a sheet; places before 0 have negative ones. */
export interface BlockKey {
  readonly rowBlock: number;
  readonly columnBlock: number;
}

/** The cells of a block by their offset in it. */
export type BlockCells = Map<number, CellValue>;

/** The block of a cell, and where it is in there. */
export function locate(row: number, column: number): BlockKey & { offset: number } {
  const rowBlock = Math.floor(row / BLOCK_ROWS);
  const columnBlock = Math.floor(column / BLOCK_COLUMNS);
  const offset = (row - rowBlock * BLOCK_ROWS) * BLOCK_COLUMNS + column - columnBlock * BLOCK_COLUMNS;
  return { rowBlock, columnBlock, offset };
}

/** The places of the cell at an offset of a block. */
export function placesOf(
  { rowBlock, columnBlock }: BlockKey,
  offset: number,
): { row: number; column: number } {
  return {
    row: rowBlock * BLOCK_ROWS + Math.floor(offset / BLOCK_COLUMNS),
    column: columnBlock * BLOCK_COLUMNS + (offset % BLOCK_COLUMNS),
  };
}

/** The blocks that a rectangle of places touches. */
export function blocksOf({ top, left, bottom, right }: Rectangle): Rectangle {
  return {
    top: Math.floor(top / BLOCK_ROWS),
    left: Math.floor(left / BLOCK_COLUMNS),
    bottom: Math.floor(bottom / BLOCK_ROWS),
    right: Math.floor(right / BLOCK_COLUMNS),
  };
}

/** Behind a row that has all of its cells, so that nobody counts them. No JSON ends with it, and to a parser it is nothing. */
export const FULL = ' ';

/** The last column of the block that a column is in. */
export function endOfBlock(column: number): number {
  return column - (column % BLOCK_COLUMNS) + BLOCK_COLUMNS - 1;
}

/** What is stored of a block without cells. */
export const EMPTY_BLOCK = '';

/** UTF-16 units. A block that is longer is parsed row by row, which for few cells takes longer than all at once. */
const LONG_BLOCK = 128 * 1024;

/**
 * The cells of a block as it is stored: a line for each row down to the last that is used, with the JSON of its cells up
 * to the last that is used; empty cells before it are "". So equal blocks are equal texts, and a range that is read is
 * joined of pieces of them without looking into any cell. A line that has all of its cells ends with FULL.
 */
export async function decodeBlock(text: string): Promise<BlockCells> {
  const cells: BlockCells = new Map();
  await eachCell(text, (offset, input) => cells.set(offset, input));
  return cells;
}

/** Shows the cells of a stored block one by one, for who looks at many blocks and keeps few cells. */
export async function eachCell(text: string, show: ShowCell): Promise<void> {
  if (text.length <= LONG_BLOCK) {
    const rows = JSON.parse(`[[${text.replaceAll('\n', '],[')}]]`) as CellValue[][];
    for (let row = 0; row < rows.length; row++) showCellsOf(row, rows[row] ?? [], show);
    return;
  }
  for (const [row, cells] of rowsOf(text).entries()) {
    showCellsOf(row, JSON.parse(`[${cells}]`) as CellValue[], show);
    await giveWay();
  }
}

type ShowCell = (offset: number, input: CellValue) => void;

function showCellsOf(row: number, cells: readonly CellValue[], show: ShowCell): void {
  for (let column = 0; column < cells.length; column++) {
    const input = cells[column] ?? '';
    if (input !== '') show(row * BLOCK_COLUMNS + column, input);
  }
}

/** The rows of a stored block as JSON of their cells. */
export function rowsOf(text: string): string[] {
  return text.split('\n');
}

/** '"=" alone is text.' */
export function isFormula(input: CellValue | undefined): input is string {
  return typeof input === 'string' && input.length > 1 && input.startsWith('=');
}

/**
 * Whether a formula may show something else at another time though nothing was changed. It may say so too often, as of a
 * text within the formula, and too seldom only of texts of dates that name no year, which Excel takes for settled too.
 */
export function isVolatile(input: CellValue | undefined): boolean {
  return isFormula(input) && /\b(?:NOW|TODAY|RAND\w*)\s*\(/i.test(input);
}
