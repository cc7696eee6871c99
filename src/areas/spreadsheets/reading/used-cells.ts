import { textOfInput } from '../../../formulas/text-formula.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { COLUMNS, type Rectangle, ROWS } from '../cells/a1.ts';
import { lineLookup, spansOf } from '../cells/axis.ts';
import { BLOCK_COLUMNS, blocksOf, type CellValue, cellPosition, eachCell } from '../cells/block.ts';
import { listBlocks, listedPortions, type SheetKey, type StoredBlock } from '../cells/block-store.ts';
import { eachRow, type RowText } from '../cells/grid.ts';
import type { Sheet, SpreadsheetKey } from '../workbook/workbook.ts';
import { getWorkbook } from '../workbook/workbook-store.ts';

/** A used cell, by its row and column number. */
export interface UsedCell {
  readonly row: number;
  readonly column: number;
  readonly input: CellValue;
}

/**
 * The used cells of a rectangle in portions. Spans of rows come in order, the cells of one span in any order. A sheet
 * whose rows were never moved is read in a single scan along the key of its blocks.
 */
export async function* usedCells(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): AsyncGenerator<UsedCell[]> {
  const key = { workspaceId, sheet: sheet.id };
  const lines = { rowOf: lineLookup(sheet.rowAxis), columnOf: lineLookup(sheet.columnAxis) };
  for (const { positions } of storedAreas(sheet, area)) {
    for await (const blocks of blocksIn(tx, key, positions)) yield await cellsIn(blocks, positions, lines);
  }
}

/**
 * Receives consecutive cells of a row, with the numbers of the row and of the first column, and the number of cells if
 * it is known.
 */
export type ShowPiece = (row: number, column: number, cells: RowText, count?: number) => void;

/** Calls `show` with the used cells of a rectangle in their stored form; those of each row from left to right. */
export async function showPieces(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
  show: ShowPiece,
): Promise<void> {
  const key = { workspaceId, sheet: sheet.id };
  for (const stored of storedAreas(sheet, area)) {
    for await (const blocks of blocksIn(tx, key, stored.positions)) {
      for (const block of blocks) showPiecesOf(block, stored, show);
    }
  }
}

function showPiecesOf(block: StoredBlock, { positions, row, column }: StoredArea, show: ShowPiece): void {
  const first = cellPosition(block, 0);
  const left = Math.max(positions.left, first.column);
  const columns = {
    from: left - first.column,
    count: Math.min(positions.right + 1, first.column + BLOCK_COLUMNS) - left,
    end: positions.bottom - first.row + 1,
  };
  const rowOfFirst = row + first.row - positions.top;
  const firstColumn = column + left - positions.left;
  eachRow(block.cells, columns, (at, cells, count) => {
    if (first.row + at >= positions.top) show(rowOfFirst + at, firstColumn, cells, count);
  });
}

/** Functions from a stored position to the line of the sheet, for each axis. */
interface Lines {
  readonly rowOf: (position: number) => number | undefined;
  readonly columnOf: (position: number) => number | undefined;
}

/** Takes most of the time of an uncached read of a range, so it creates objects only for cells of the range. */
async function cellsIn(
  blocks: readonly StoredBlock[],
  { top, left, bottom, right }: Rectangle,
  { rowOf, columnOf }: Lines,
): Promise<UsedCell[]> {
  const cells: UsedCell[] = [];
  for (const block of blocks) {
    const first = cellPosition(block, 0);
    await eachCell(block.cells, (offset, input) => {
      const columnPosition = first.column + (offset % BLOCK_COLUMNS);
      const rowPosition = first.row + Math.floor(offset / BLOCK_COLUMNS);
      if (rowPosition < top || rowPosition > bottom || columnPosition < left || columnPosition > right)
        return;
      const row = rowOf(rowPosition);
      const column = columnOf(columnPosition);
      if (row !== undefined && column !== undefined) cells.push({ row, column, input });
    });
  }
  return cells;
}

/** The blocks of a rectangle of positions, in portions. */
function blocksIn(
  tx: ReadTransaction,
  key: SheetKey,
  positions: Rectangle,
): AsyncGenerator<readonly StoredBlock[]> {
  const area = blocksOf(positions);
  return listedPortions(tx, key, (after, limit) => listBlocks(tx, key, area, after, limit));
}

/** A rectangle of stored positions, and the numbers of the row and the column at its corner. */
export interface StoredArea {
  readonly positions: Rectangle;
  readonly row: number;
  readonly column: number;
}

/** The stored positions of the cells of a rectangle: one rectangle of positions for each pair of spans. */
export function storedAreas(
  { rowAxis, columnAxis }: Sheet,
  { top, left, bottom, right }: Rectangle,
): StoredArea[] {
  const columns = spansOf(columnAxis, left, right);
  return spansOf(rowAxis, top, bottom).flatMap((row) =>
    columns.map((column) => ({
      positions: {
        top: row.position,
        bottom: row.position + row.count - 1,
        left: column.position,
        right: column.position + column.count - 1,
      },
      row: row.line,
      column: column.line,
    })),
  );
}

/** Returns a function from a position to the numbers of its row and column; undefined if the sheet has no line there. */
export function cellNumbers({ rowAxis, columnAxis }: Pick<Sheet, 'rowAxis' | 'columnAxis'>) {
  const rows = lineLookup(rowAxis);
  const columns = lineLookup(columnAxis);
  return (position: { row: number; column: number }): { row: number; column: number } | undefined => {
    const row = rows(position.row);
    const column = columns(position.column);
    return row === undefined || column === undefined ? undefined : { row, column };
  };
}

/** Texts of a spreadsheet that are searched. */
const MOST_TEXTS = 100_000;

const WHOLE_SHEET = { top: 0, left: 0, bottom: ROWS - 1, right: COLUMNS - 1 };

/**
 * The texts in the cells of a spreadsheet of a workspace, sheet by sheet, up to 100,000, for the full-text index; a formula is
 * none.
 */
export async function cellTexts(tx: ReadTransaction, key: SpreadsheetKey): Promise<string[]> {
  const texts: string[] = [];
  for (const sheet of (await getWorkbook(tx, key)).sheets) {
    for await (const cells of usedCells(tx, key.workspaceId, sheet, WHOLE_SHEET)) {
      for (const { input } of cells) {
        const text = typeof input === 'string' ? textOfInput(input) : undefined;
        if (text === undefined) continue;
        texts.push(text);
        if (texts.length === MOST_TEXTS) return texts;
      }
    }
  }
  return texts;
}
