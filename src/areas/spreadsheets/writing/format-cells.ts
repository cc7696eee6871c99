import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { Rectangle } from '../cells/a1.ts';
import { positionLookup } from '../cells/axis.ts';
import { type BlockKey, blocksOf, cellPosition, locate } from '../cells/block.ts';
import type { SheetKey } from '../cells/block-store.ts';
import {
  type BlockFormats,
  decodeFormats,
  encodeFormats,
  findFormats,
  listFormats,
  putFormats,
  removeFormats,
  type StoredFormats,
} from '../cells/format-store.ts';
import { cellNumbers, storedAreas } from '../reading/used-cells.ts';
import type { Sheet } from '../workbook/workbook.ts';

/** The number format code of a cell, by row and column number. */
export interface FormattedCell {
  readonly row: number;
  readonly column: number;
  readonly format: string;
}

/** The new number format code of a cell; undefined takes it away, so that the cell has the format General. */
export interface FormatEdit {
  readonly row: number;
  readonly column: number;
  readonly format: string | undefined;
}

/** Result of formatting cells of a sheet. */
export interface FormattingResult {
  /** The sheet after the edits. */
  readonly sheet: Sheet;
  /** How many cells have another format than before. */
  readonly updated: number;
}

/**
 * Sets number formats of cells, each cell at most once. A format belongs to the position of its cell: it stays when the
 * cell is overwritten or emptied, and moves with its row and column. It yields to the event loop in between.
 */
export async function formatCells(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  cells: readonly FormatEdit[],
): Promise<FormattingResult> {
  if (cells.length === 0) return { sheet, updated: 0 };
  const key = { workspaceId, sheet: sheet.id };
  const blocks = [...(await groupByBlock(sheet, cells)).values()];
  let updated = 0;
  for (let i = 0; i < blocks.length; i += BLOCKS_AT_ONCE) {
    updated += await editBlocks(tx, key, blocks.slice(i, i + BLOCKS_AT_ONCE));
    await giveWay();
  }
  return { sheet: updated === 0 ? sheet : withReachOf(sheet, cells), updated };
}

/** Applies the edits of some blocks; returns how many cells have another format than before. */
async function editBlocks(
  tx: WriteTransaction,
  key: SheetKey,
  blocks: readonly EditsOfBlock[],
): Promise<number> {
  const found = new Map<string, BlockFormats>();
  for (const stored of await findFormats(tx, key, blocks)) {
    found.set(nameOf(stored), decodeFormats(stored.formats));
  }
  const changed: StoredFormats[] = [];
  const emptied: BlockKey[] = [];
  let updated = 0;
  for (const { rowBlock, columnBlock, edits } of blocks) {
    const formats: BlockFormats = found.get(nameOf({ rowBlock, columnBlock })) ?? new Map();
    const different = applyEdits(formats, edits);
    updated += different;
    if (different === 0) continue;
    if (formats.size === 0) emptied.push({ rowBlock, columnBlock });
    else changed.push({ rowBlock, columnBlock, formats: encodeFormats(formats) });
  }
  if (changed.length > 0) await putFormats(tx, key, changed);
  if (emptied.length > 0) await removeFormats(tx, key, emptied);
  return updated;
}

/** Returns how many edits change a format. */
function applyEdits(formats: BlockFormats, edits: EditsOfBlock['edits']): number {
  let different = 0;
  for (const [offset, format] of edits) {
    if (formats.get(offset) === format) continue;
    different++;
    if (format === undefined) formats.delete(offset);
    else formats.set(offset, format);
  }
  return different;
}

/** The sheet with an extent of formats that reaches all cells that got one. */
export function withReachOf(sheet: Sheet, cells: readonly FormatEdit[]): Sheet {
  const reach = { rows: sheet.formatted?.rows ?? 0, columns: sheet.formatted?.columns ?? 0 };
  for (const { row, column, format } of cells) {
    if (format === undefined) continue;
    reach.rows = Math.max(reach.rows, row + 1);
    reach.columns = Math.max(reach.columns, column + 1);
  }
  return reach.rows === 0 ? sheet : { ...sheet, formatted: reach };
}

type EditsOfBlock = BlockKey & { readonly edits: Map<number, string | undefined> };

async function groupByBlock(
  { rowAxis, columnAxis }: Sheet,
  cells: readonly FormatEdit[],
): Promise<Map<string, EditsOfBlock>> {
  const [positionOfRow, positionOfColumn] = [positionLookup(rowAxis), positionLookup(columnAxis)];
  const blocks = new Map<string, EditsOfBlock>();
  let block: EditsOfBlock | undefined;
  let seen = 0;
  for (const { row, column, format } of cells) {
    const { rowBlock, columnBlock, offset } = locate(positionOfRow(row), positionOfColumn(column));
    // Consecutive cells mostly fall into the same block, so the map key is built only when the block changes.
    if (block?.rowBlock !== rowBlock || block.columnBlock !== columnBlock) {
      const key = { rowBlock, columnBlock };
      block = blocks.getOrInsertComputed(nameOf(key), () => ({ ...key, edits: new Map() }));
    }
    block.edits.set(offset, format);
    if (++seen % CELLS_AT_ONCE === 0) await giveWay();
  }
  return blocks;
}

function nameOf({ rowBlock, columnBlock }: BlockKey): string {
  return `${rowBlock},${columnBlock}`;
}

/** Blocks of one statement. */
const BLOCKS_AT_ONCE = 64;
/** Cells looked at without a yield. */
const CELLS_AT_ONCE = 4_096;

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
