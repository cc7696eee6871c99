import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { Rectangle } from '../cells/a1.ts';
import { placesOn } from '../cells/axis.ts';
import { type BlockKey, blocksOf, locate, placesOf } from '../cells/block.ts';
import {
  type BlockFormats,
  decodeFormats,
  encodeFormats,
  findFormats,
  listFormats,
  putFormats,
  type StoredFormats,
} from '../cells/format-store.ts';
import { cellNumbers, placeAreas } from '../reading/cells-reading.ts';
import type { Sheet } from '../workbook/workbook.ts';

/** A cell by its numbers of row and column, and the code of its number format. */
export interface FormattedCell {
  readonly row: number;
  readonly column: number;
  readonly format: string;
}

/**
 * Gives cells of a sheet number formats; answers the sheet as it is then. A format belongs to the place of its cell: it stays
 * whatever is written there, also when that is emptied, and moves with its row and column.
 */
export async function formatCells(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  cells: readonly FormattedCell[],
): Promise<Sheet> {
  if (cells.length === 0) return sheet;
  const key = { workspaceId, sheet: sheet.id };
  const blocks = byBlock(sheet, cells);
  for (const stored of await findFormats(tx, key, [...blocks.values()])) {
    const given = blocks.get(nameOf(stored))?.formats;
    for (const [offset, code] of decodeFormats(stored.formats)) {
      if (given && !given.has(offset)) given.set(offset, code);
    }
  }
  const stored = Array.from(blocks.values(), ({ rowBlock, columnBlock, formats }) => ({
    rowBlock,
    columnBlock,
    formats: encodeFormats(formats),
  }));
  await putFormats(tx, key, stored);
  return { ...sheet, formatted: reachOf(sheet, cells) };
}

function reachOf({ formatted }: Sheet, cells: readonly FormattedCell[]): { rows: number; columns: number } {
  const reach = { rows: formatted?.rows ?? 0, columns: formatted?.columns ?? 0 };
  for (const { row, column } of cells) {
    reach.rows = Math.max(reach.rows, row + 1);
    reach.columns = Math.max(reach.columns, column + 1);
  }
  return reach;
}

type FormatsOfBlock = BlockKey & { readonly formats: BlockFormats };

function byBlock(
  { rowAxis, columnAxis }: Sheet,
  cells: readonly FormattedCell[],
): Map<string, FormatsOfBlock> {
  const [placeOfRow, placeOfColumn] = [placesOn(rowAxis), placesOn(columnAxis)];
  const blocks = new Map<string, FormatsOfBlock>();
  let block: FormatsOfBlock | undefined;
  for (const { row, column, format } of cells) {
    const { rowBlock, columnBlock, offset } = locate(placeOfRow(row), placeOfColumn(column));
    // Neighbours mostly are in one block: a name is made for the first of them only.
    if (block?.rowBlock !== rowBlock || block.columnBlock !== columnBlock) {
      const key = { rowBlock, columnBlock };
      block = blocks.getOrInsertComputed(nameOf(key), () => ({ ...key, formats: new Map() }));
    }
    block.formats.set(offset, format);
  }
  return blocks;
}

function nameOf({ rowBlock, columnBlock }: BlockKey): string {
  return `${rowBlock},${columnBlock}`;
}

const BLOCKS_AT_ONCE = 64;

/** The cells of a rectangle that have a number format, in portions, in any order; empty ones too. */
export async function* formattedCells(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): AsyncGenerator<FormattedCell[]> {
  if (!sheet.formatted) return;
  const key = { workspaceId, sheet: sheet.id };
  const numbersAt = cellNumbers(sheet);
  for (const { places } of placeAreas(sheet, area)) {
    for (let after: BlockKey | undefined; ; ) {
      const portion = await listFormats(tx, key, blocksOf(places), after, BLOCKS_AT_ONCE);
      yield portion.flatMap((block) => cellsIn(block, places, numbersAt));
      after = portion.at(-1);
      if (portion.length < BLOCKS_AT_ONCE) break;
    }
  }
}

function cellsIn(
  block: StoredFormats,
  { top, left, bottom, right }: Rectangle,
  numbersAt: ReturnType<typeof cellNumbers>,
): FormattedCell[] {
  const cells: FormattedCell[] = [];
  for (const [offset, format] of decodeFormats(block.formats)) {
    const place = placesOf(block, offset);
    const isWithin = place.row >= top && place.row <= bottom && place.column >= left && place.column <= right;
    const numbers = isWithin ? numbersAt(place) : undefined;
    if (numbers) cells.push({ ...numbers, format });
  }
  return cells;
}
