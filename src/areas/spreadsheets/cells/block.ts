import { textOfInput } from '../../../formulas/text-formula.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { Rectangle } from './a1.ts';

/**
 * Cells are stored in blocks of this many rows and columns. The size limits both how much a write rewrites and how many
 * database rows a read needs.
 */
export const BLOCK_ROWS = 32;
export const BLOCK_COLUMNS = 8;

/** Stored content of a cell. A text of at least two characters that begins with "=" is a formula. */
export type CellValue = string | number | boolean;

/** Identifies a block of a sheet. Blocks at positions below 0 have negative numbers. */
export interface BlockKey {
  readonly rowBlock: number;
  readonly columnBlock: number;
}

/** The cells of a block, by their offset in the block. */
export type BlockCells = Map<number, CellValue>;

/** The block of the cell at a position, and its offset in the block. */
export function locate(row: number, column: number): BlockKey & { offset: number } {
  const rowBlock = Math.floor(row / BLOCK_ROWS);
  const columnBlock = Math.floor(column / BLOCK_COLUMNS);
  const offset = (row - rowBlock * BLOCK_ROWS) * BLOCK_COLUMNS + column - columnBlock * BLOCK_COLUMNS;
  return { rowBlock, columnBlock, offset };
}

/** The position of the cell at an offset of a block. */
export function cellPosition(
  { rowBlock, columnBlock }: BlockKey,
  offset: number,
): { row: number; column: number } {
  return {
    row: rowBlock * BLOCK_ROWS + Math.floor(offset / BLOCK_COLUMNS),
    column: columnBlock * BLOCK_COLUMNS + (offset % BLOCK_COLUMNS),
  };
}

/** The blocks that a rectangle of positions overlaps. */
export function blocksOf({ top, left, bottom, right }: Rectangle): Rectangle {
  return {
    top: Math.floor(top / BLOCK_ROWS),
    left: Math.floor(left / BLOCK_COLUMNS),
    bottom: Math.floor(bottom / BLOCK_ROWS),
    right: Math.floor(right / BLOCK_COLUMNS),
  };
}

/**
 * Ends a row that has all of its cells, so that readers need not count them. JSON text of cells never ends with it, and
 * a JSON parser ignores it.
 */
export const FULL = ' ';

/** The last column of the block that a column is in. */
export function lastColumnOfBlock(column: number): number {
  return column - (column % BLOCK_COLUMNS) + BLOCK_COLUMNS - 1;
}

/** Stored form of a block without cells. */
export const EMPTY_BLOCK = '';

/**
 * UTF-16 units. A longer block is parsed row by row, to yield in between; for small blocks that would be slower than
 * one parse.
 */
const LONG_BLOCK = 128 * 1024;

/**
 * Decodes a stored block. It has one line for each row down to the last used one. A line is the JSON of its cells up to
 * the last used one, without brackets; empty cells before it are "". Equal blocks are therefore equal texts, and a
 * reader joins pieces of lines without parsing any cell. A line with all of its cells ends with FULL.
 */
export async function decodeBlock(text: string): Promise<BlockCells> {
  const cells: BlockCells = new Map();
  await eachCell(text, (offset, input) => cells.set(offset, input));
  return cells;
}

/** Calls `show` for each used cell of a stored block. For a caller that scans many blocks and needs few cells. */
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

/** The rows of a stored block, each as the JSON of its cells. */
export function rowsOf(text: string): string[] {
  return text.split('\n');
}

/** Implements '"=" alone is text.' */
export function isFormula(input: CellValue | undefined): input is string {
  return typeof input === 'string' && input.length > 1 && input.startsWith('=');
}

/** Whether a formula only quotes a text, so that it shows that and nothing else. */
export function isQuote(input: CellValue): boolean {
  return isFormula(input) && textOfInput(input) !== undefined;
}

/**
 * Whether the value of a formula may change although no cell changes. A false positive is possible, as for such a name
 * within a text. False negatives are only dates in texts that name no year; Excel does not treat them as volatile
 * either.
 */
export function isVolatile(input: CellValue | undefined): boolean {
  return isFormula(input) && /\b(?:NOW|TODAY|RAND\w*)\s*\(/i.test(input);
}
