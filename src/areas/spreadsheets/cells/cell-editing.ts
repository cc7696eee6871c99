import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { SheetBlock } from '../workbook/change-store.ts';
import type { Sheet } from '../workbook/workbook.ts';
import { COLUMNS, ROWS } from './a1.ts';
import { positionLookup, type Span, spansOf } from './axis.ts';
import {
  BLOCK_ROWS,
  type BlockKey,
  blocksOf,
  type CellValue,
  cellPosition,
  decodeBlock,
  locate,
} from './block.ts';
import { BlockEdits, type EditedBlock, type Growth, noGrowth } from './block-edits.ts';
import {
  findLastRowBlock,
  foundPortions,
  listBlocks,
  listedPortions,
  putBlocks,
  removeBlocks,
  type SheetKey,
} from './block-store.ts';
import { addToColumnCounts, findLastColumn } from './column-store.ts';
import type { DateKind } from './dates.ts';

/** The new content of a cell, by row and column number; `undefined` empties the cell. */
export interface CellEdit {
  readonly row: number;
  readonly column: number;
  readonly input: CellValue | undefined;
  /** The kind of date that the input is; absent for any other input. */
  readonly shows?: DateKind;
}

/** Result of editing a sheet. */
export interface EditResult {
  /** The sheet after the edits. */
  readonly sheet: Sheet;
  /** For each list of edits, the number of cells whose content has changed. */
  readonly updated: readonly number[];
  /** The changed blocks; empty if all edits together change nothing. */
  readonly blocks: readonly SheetBlock[];
}

/**
 * The edits of one block in their order: for each edit the offset of its cell in the block, its row, the new content and the
 * list that it came from. Arrays, because an object for each edit would cost as much as the edit.
 */
interface EditsOfBlock extends BlockKey {
  readonly offsets: number[];
  readonly rows: number[];
  readonly inputs: (CellValue | undefined)[];
  readonly lists: number[];
  /** The indexes of edits that count as updates, whatever their cells held. */
  readonly counted: Set<number>;
}

/**
 * Applies lists of edits to a sheet in order. The number of statements depends on the size of the affected blocks.
 * `counted` are edits whose cells have changed in another way already, and count as updated.
 */
export async function editCells(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  lists: readonly (readonly CellEdit[])[],
  counted: ReadonlySet<CellEdit> = NONE,
): Promise<EditResult> {
  const key = { workspaceId, sheet: sheet.id };
  const updated = lists.map(() => 0);
  const blocks: SheetBlock[] = [];
  const growth = noGrowth();
  const wantedBlocks = groupByBlock(sheet, lists, counted);
  await giveWay();
  for await (const { wanted, blocks: found } of foundPortions(tx, key, wantedBlocks)) {
    const known = new BlockEdits(found, growth);
    for (const edits of wanted) apply(edits, known.block(edits), updated);
    await giveWay();
    const { stored, emptied } = known.result();
    await giveWay();
    await putBlocks(tx, key, stored);
    await removeBlocks(tx, key, emptied);
    for (const { rowBlock, columnBlock } of [...stored, ...emptied]) {
      blocks.push({ sheet: sheet.id, rowBlock, columnBlock });
    }
  }
  if (blocks.length === 0) return { sheet, updated, blocks };
  await addToColumnCounts(tx, key, growth.columns);
  return { sheet: await resizedSheet(tx, key, sheet, lists, growth), updated, blocks };
}

const NONE: ReadonlySet<CellEdit> = new Set();

function apply(
  { offsets, rows, inputs, lists, counted }: EditsOfBlock,
  block: EditedBlock,
  updated: number[],
): void {
  for (let i = 0; i < offsets.length; i++) {
    const list = lists[i] ?? 0;
    if (block.set(offsets[i] ?? 0, rows[i] ?? 0, inputs[i]) || counted.has(i))
      updated[list] = (updated[list] ?? 0) + 1;
  }
}

/** Groups the edits by the block that stores their cells. Edits of different blocks are independent. */
function groupByBlock(
  { rowAxis, columnAxis }: Sheet,
  lists: readonly (readonly CellEdit[])[],
  counted: ReadonlySet<CellEdit>,
): EditsOfBlock[] {
  const [positionOfRow, positionOfColumn] = [positionLookup(rowAxis), positionLookup(columnAxis)];
  const blocks = new Map<string, EditsOfBlock>();
  let block: EditsOfBlock | undefined;
  for (const [list, edits] of lists.entries())
    for (const edit of edits) {
      const { row, column, input } = edit;
      const { rowBlock, columnBlock, offset } = locate(positionOfRow(row), positionOfColumn(column));
      // Consecutive edits mostly fall into the same block, so the map key is built only when the block changes.
      if (block?.rowBlock !== rowBlock || block.columnBlock !== columnBlock)
        block = blocks.getOrInsertComputed(`${rowBlock},${columnBlock}`, () => ({
          rowBlock,
          columnBlock,
          offsets: [],
          rows: [],
          inputs: [],
          lists: [],
          counted: new Set(),
        }));
      if (counted.size > 0 && counted.has(edit)) block.counted.add(block.offsets.length);
      block.offsets.push(offset);
      block.rows.push(row);
      block.inputs.push(input);
      block.lists.push(list);
    }
  return [...blocks.values()];
}

/**
 * The sheet with its extent and counts after the edits. If the last used row or column was emptied, the extent is
 * searched again.
 */
async function resizedSheet(
  tx: WriteTransaction,
  key: SheetKey,
  sheet: Sheet,
  lists: readonly (readonly CellEdit[])[],
  { formulas, volatiles, quotes }: Growth,
): Promise<Sheet> {
  const reach = { rows: sheet.rows, columns: sheet.columns, row: false, column: false };
  for (const edits of lists)
    for (const { row, column, input } of edits) {
      if (input !== undefined) {
        reach.rows = Math.max(reach.rows, row + 1);
        reach.columns = Math.max(reach.columns, column + 1);
      } else {
        reach.row ||= row + 1 === reach.rows;
        reach.column ||= column + 1 === reach.columns;
      }
    }
  return {
    ...sheet,
    formulas: sheet.formulas + formulas,
    volatiles: sheet.volatiles + volatiles,
    ...((sheet.quotes !== undefined || quotes !== 0) && { quotes: (sheet.quotes ?? 0) + quotes }),
    rows: reach.row ? await usedRows(tx, key, sheet, Math.min(reach.rows, ROWS)) : reach.rows,
    columns: reach.column
      ? await usedColumns(tx, key, sheet, Math.min(reach.columns, COLUMNS))
      : reach.columns,
  };
}

/** The number of used rows, from what is stored. Searches upwards from `atMost`. */
async function usedRows(
  tx: ReadTransaction,
  key: SheetKey,
  { rowAxis }: Pick<Sheet, 'rowAxis'>,
  atMost = ROWS,
): Promise<number> {
  for (const span of spansOf(rowAxis, 0, atMost - 1).reverse()) {
    const position = await lastUsedPosition(tx, key, span);
    if (position !== undefined) return span.line + position - span.position + 1;
  }
  return 0;
}

/** The number of used columns, searched as in `usedRows`. */
async function usedColumns(
  tx: ReadTransaction,
  key: SheetKey,
  { columnAxis }: Pick<Sheet, 'columnAxis'>,
  atMost = COLUMNS,
): Promise<number> {
  for (const { line, position, count } of spansOf(columnAxis, 0, atMost - 1).reverse()) {
    const last = await findLastColumn(tx, key, position, position + count - 1);
    if (last !== undefined) return line + last - position + 1;
  }
  return 0;
}

/**
 * The last used position of a span. A row of blocks may also hold rows of other spans: if it has no cell of this span,
 * the search continues with the previous row of blocks.
 */
async function lastUsedPosition(tx: ReadTransaction, key: SheetKey, span: Span): Promise<number | undefined> {
  const first = Math.floor(span.position / BLOCK_ROWS);
  let last = Math.floor((span.position + span.count - 1) / BLOCK_ROWS);
  for (;;) {
    const block = await findLastRowBlock(tx, key, first, last);
    if (block === undefined) return undefined;
    const position = await lastPositionIn(tx, key, block, span);
    if (position !== undefined) return position;
    last = block - 1;
  }
}

async function lastPositionIn(
  tx: ReadTransaction,
  key: SheetKey,
  rowBlock: number,
  { position, count }: Span,
): Promise<number | undefined> {
  let found: number | undefined;
  const all = {
    ...blocksOf({ top: 0, bottom: 0, left: FIRST, right: LAST }),
    top: rowBlock,
    bottom: rowBlock,
  };
  const portions = listedPortions(tx, key, (after, limit) => listBlocks(tx, key, all, after, limit));
  for await (const blocks of portions) {
    for (const block of blocks) {
      for (const offset of (await decodeBlock(block.cells)).keys()) {
        const { row } = cellPosition(block, offset);
        if (row >= position && row < position + count && row > (found ?? Number.NEGATIVE_INFINITY))
          found = row;
      }
    }
  }
  return found;
}

/** Lower and upper bounds beyond the positions of any axis. */
const FIRST = -(2 ** 40);
const LAST = 2 ** 40;
