import type { ReadTransaction } from '../../../storage/database.ts';
import type { Rectangle } from '../cells/a1.ts';
import { linesOf, spansOf } from '../cells/axis.ts';
import { BLOCK_COLUMNS, blocksOf, type CellValue, eachCell, placesOf } from '../cells/block.ts';
import { listBlocks, listedPortions, type SheetKey, type StoredBlock } from '../cells/block-store.ts';
import { eachRow, type RowText } from '../cells/grid.ts';
import type { Sheet } from '../workbook/workbook.ts';

/** A used cell by its numbers of row and column. */
export interface UsedCell {
  readonly row: number;
  readonly column: number;
  readonly input: CellValue;
}

/**
 * The used cells of a rectangle, in portions: those of further down come later, but within some rows in any order. A
 * sheet whose rows were never moved is read in one go along the key of its blocks.
 */
export async function* usedCells(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): AsyncGenerator<UsedCell[]> {
  const key = { workspaceId, sheet: sheet.id };
  const lines = { rowOf: linesOf(sheet.rowAxis), columnOf: linesOf(sheet.columnAxis) };
  for (const { places } of placeAreas(sheet, area)) {
    for await (const blocks of blocksIn(tx, key, places)) yield await cellsIn(blocks, places, lines);
  }
}

/** Is shown neighbouring cells of a row, by the numbers of the row and of the first column; and how many, where known. */
export type ShowPiece = (row: number, column: number, cells: RowText, count?: number) => void;

/** Shows the used cells of a rectangle as they are stored, those of each row from left to right. */
export async function showPieces(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
  show: ShowPiece,
): Promise<void> {
  const key = { workspaceId, sheet: sheet.id };
  for (const placed of placeAreas(sheet, area)) {
    for await (const blocks of blocksIn(tx, key, placed.places)) {
      for (const block of blocks) showPiecesOf(block, placed, show);
    }
  }
}

function showPiecesOf(block: StoredBlock, { places, row, column }: PlacedArea, show: ShowPiece): void {
  const first = placesOf(block, 0);
  const left = Math.max(places.left, first.column);
  const columns = {
    from: left - first.column,
    count: Math.min(places.right + 1, first.column + BLOCK_COLUMNS) - left,
    end: places.bottom - first.row + 1,
  };
  const rowOfFirst = row + first.row - places.top;
  const firstColumn = column + left - places.left;
  eachRow(block.cells, columns, (at, cells, count) => {
    if (first.row + at >= places.top) show(rowOfFirst + at, firstColumn, cells, count);
  });
}

/** What line of the sheet is at a place, along each axis. */
interface Lines {
  readonly rowOf: (place: number) => number | undefined;
  readonly columnOf: (place: number) => number | undefined;
}

/** Most of what a range costs that is read for the first time: no object is made but for cells that are wanted. */
async function cellsIn(
  blocks: readonly StoredBlock[],
  { top, left, bottom, right }: Rectangle,
  { rowOf, columnOf }: Lines,
): Promise<UsedCell[]> {
  const cells: UsedCell[] = [];
  for (const block of blocks) {
    const first = placesOf(block, 0);
    await eachCell(block.cells, (offset, input) => {
      const place = first.column + (offset % BLOCK_COLUMNS);
      const rowPlace = first.row + Math.floor(offset / BLOCK_COLUMNS);
      if (rowPlace < top || rowPlace > bottom || place < left || place > right) return;
      const row = rowOf(rowPlace);
      const column = columnOf(place);
      if (row !== undefined && column !== undefined) cells.push({ row, column, input });
    });
  }
  return cells;
}

/** The blocks of a rectangle of places, in portions. */
function blocksIn(
  tx: ReadTransaction,
  key: SheetKey,
  places: Rectangle,
): AsyncGenerator<readonly StoredBlock[]> {
  const area = blocksOf(places);
  return listedPortions(tx, key, (after, limit) => listBlocks(tx, key, area, after, limit));
}

/** A rectangle of places, and the numbers of the row and the column at its corner. */
export interface PlacedArea {
  readonly places: Rectangle;
  readonly row: number;
  readonly column: number;
}

/** Where the cells of a rectangle are kept: one rectangle of places for each pair of spans. */
export function placeAreas(
  { rowAxis, columnAxis }: Sheet,
  { top, left, bottom, right }: Rectangle,
): PlacedArea[] {
  const columns = spansOf(columnAxis, left, right);
  return spansOf(rowAxis, top, bottom).flatMap((row) =>
    columns.map((column) => ({
      places: {
        top: row.place,
        bottom: row.place + row.count - 1,
        left: column.place,
        right: column.place + column.count - 1,
      },
      row: row.line,
      column: column.line,
    })),
  );
}

/** Answers the numbers of row and column at a place; undefined where the sheet has none there. */
export function cellNumbers({ rowAxis, columnAxis }: Pick<Sheet, 'rowAxis' | 'columnAxis'>) {
  const rows = linesOf(rowAxis);
  const columns = linesOf(columnAxis);
  return (place: { row: number; column: number }): { row: number; column: number } | undefined => {
    const row = rows(place.row);
    const column = columns(place.column);
    return row === undefined || column === undefined ? undefined : { row, column };
  };
}
