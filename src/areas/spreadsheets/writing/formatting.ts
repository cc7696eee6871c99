import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { Rectangle } from '../cells/a1.ts';
import { positionLookup } from '../cells/axis.ts';
import { type BlockKey, blocksOf, cellPosition, locate } from '../cells/block.ts';
import {
  type BlockFormats,
  decodeFormats,
  encodeFormats,
  findFormats,
  listFormats,
  putFormats,
  type StoredFormats,
} from '../cells/format-store.ts';
import { cellNumbers, storedAreas } from '../reading/cells-reading.ts';
import type { Sheet } from '../workbook/workbook.ts';

/** The number format code of a cell, by row and column number. */
export interface FormattedCell {
  readonly row: number;
  readonly column: number;
  readonly format: string;
}

/**
 * Sets number formats of cells; returns the changed sheet. A format belongs to the position of its cell: it stays when
 * the cell is overwritten or emptied, and moves with its row and column.
 */
export async function formatCells(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  cells: readonly FormattedCell[],
): Promise<Sheet> {
  if (cells.length === 0) return sheet;
  const key = { workspaceId, sheet: sheet.id };
  const blocks = groupByBlock(sheet, cells);
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

function groupByBlock(
  { rowAxis, columnAxis }: Sheet,
  cells: readonly FormattedCell[],
): Map<string, FormatsOfBlock> {
  const [positionOfRow, positionOfColumn] = [positionLookup(rowAxis), positionLookup(columnAxis)];
  const blocks = new Map<string, FormatsOfBlock>();
  let block: FormatsOfBlock | undefined;
  for (const { row, column, format } of cells) {
    const { rowBlock, columnBlock, offset } = locate(positionOfRow(row), positionOfColumn(column));
    // Consecutive cells mostly fall into the same block, so the map key is built only when the block changes.
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

/** The cells of a rectangle that have a number format, including empty ones, in portions, in any order. */
export async function* formattedCells(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): AsyncGenerator<FormattedCell[]> {
  if (!sheet.formatted) return;
  const key = { workspaceId, sheet: sheet.id };
  const numbersAt = cellNumbers(sheet);
  for (const { positions } of storedAreas(sheet, area)) {
    for (let after: BlockKey | undefined; ; ) {
      const portion = await listFormats(tx, key, blocksOf(positions), after, BLOCKS_AT_ONCE);
      yield portion.flatMap((block) => cellsIn(block, positions, numbersAt));
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
    const position = cellPosition(block, offset);
    const isWithin =
      position.row >= top && position.row <= bottom && position.column >= left && position.column <= right;
    const numbers = isWithin ? numbersAt(position) : undefined;
    if (numbers) cells.push({ ...numbers, format });
  }
  return cells;
}
