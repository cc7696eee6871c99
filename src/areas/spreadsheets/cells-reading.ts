import type { ReadTransaction } from '../../storage/database.ts';
import type { Rectangle } from './a1.ts';
import { linesOf, spansOf } from './axis.ts';
import { type BlockKey, blocksOf, type CellValue, decodeBlock, placesOf } from './block.ts';
import { listBlocks, type StoredBlock } from './block-store.ts';
import type { Sheet } from './workbook.ts';

/** A used cell by its numbers of row and column. */
export interface UsedCell {
  readonly row: number;
  readonly column: number;
  readonly input: CellValue;
}

/** Each may hold 256 texts of 50,000 characters. */
const BLOCKS_AT_ONCE = 32;

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
  const numbersOf = cellNumbers(sheet);
  for (const places of placeAreas(sheet, area)) {
    for await (const blocks of blocksIn(tx, key, places)) {
      yield blocks.flatMap((block) => cellsIn(block, places, numbersOf));
    }
  }
}

function cellsIn(
  block: StoredBlock,
  places: Rectangle,
  numbersOf: ReturnType<typeof cellNumbers>,
): UsedCell[] {
  const cells: UsedCell[] = [];
  for (const [offset, input] of decodeBlock(block.cells)) {
    const place = placesOf(block, offset);
    const numbers = isWithin(places, place.row, place.column) ? numbersOf(place) : undefined;
    if (numbers) cells.push({ ...numbers, input });
  }
  return cells;
}

/** The blocks of a rectangle of places, in portions. */
async function* blocksIn(
  tx: ReadTransaction,
  key: { workspaceId: string; sheet: string },
  places: Rectangle,
): AsyncGenerator<StoredBlock[]> {
  const area = blocksOf(places);
  let after: BlockKey | undefined;
  for (;;) {
    const portion = await listBlocks(tx, key, area, after, BLOCKS_AT_ONCE);
    yield portion;
    after = portion.at(-1);
    if (portion.length < BLOCKS_AT_ONCE) return;
  }
}

/** Where the cells of a rectangle are kept: one rectangle of places for each pair of spans. */
function placeAreas({ rowAxis, columnAxis }: Sheet, { top, left, bottom, right }: Rectangle): Rectangle[] {
  const columns = spansOf(columnAxis, left, right);
  return spansOf(rowAxis, top, bottom).flatMap((row) =>
    columns.map((column) => ({
      top: row.place,
      bottom: row.place + row.count - 1,
      left: column.place,
      right: column.place + column.count - 1,
    })),
  );
}

function isWithin({ top, left, bottom, right }: Rectangle, row: number, column: number): boolean {
  return row >= top && row <= bottom && column >= left && column <= right;
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
