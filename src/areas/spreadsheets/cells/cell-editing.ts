import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { SheetBlock } from '../workbook/change-store.ts';
import type { Sheet } from '../workbook/workbook.ts';
import { COLUMNS, ROWS } from './a1.ts';
import { placesOn, type Span, spansOf } from './axis.ts';
import {
  BLOCK_ROWS,
  type BlockKey,
  blocksOf,
  type CellValue,
  decodeBlock,
  locate,
  placesOf,
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

/** A cell by its number of row and column, and what it is to hold; `undefined` empties it. */
export interface CellEdit {
  readonly row: number;
  readonly column: number;
  readonly input: CellValue | undefined;
}

/** What edits of a sheet have come to. */
export interface EditOutcome {
  /** The sheet as it is now. */
  readonly sheet: Sheet;
  /** Of each list of edits, how many of its cells held something else before. */
  readonly updated: readonly number[];
  /** Empty when in the end everything is stored as it was. */
  readonly blocks: readonly SheetBlock[];
}

/**
 * The edits of one block, in their order: of each its cell, by the offset in the block, what that is to hold, and the list
 * in which it came. An object for each would cost as much as what is done with it.
 */
interface EditsOfBlock extends BlockKey {
  readonly offsets: number[];
  readonly inputs: (CellValue | undefined)[];
  readonly lists: number[];
}

/** Changes cells of a sheet, list after list; so many statements as the blocks that they are in are large. */
export async function editCells(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  lists: readonly (readonly CellEdit[])[],
): Promise<EditOutcome> {
  const key = { workspaceId, sheet: sheet.id };
  const updated = lists.map(() => 0);
  const blocks: SheetBlock[] = [];
  const growth = noGrowth();
  const wantedBlocks = byBlock(sheet, lists);
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
  return { sheet: await grown(tx, key, sheet, lists, growth), updated, blocks };
}

function apply({ offsets, inputs, lists }: EditsOfBlock, block: EditedBlock, updated: number[]): void {
  for (let i = 0; i < offsets.length; i++) {
    const list = lists[i] ?? 0;
    if (block.set(offsets[i] ?? 0, inputs[i])) updated[list] = (updated[list] ?? 0) + 1;
  }
}

/** The edits by the blocks where their cells are kept: those of different blocks have nothing to do with each other. */
function byBlock({ rowAxis, columnAxis }: Sheet, lists: readonly (readonly CellEdit[])[]): EditsOfBlock[] {
  const [placeOfRow, placeOfColumn] = [placesOn(rowAxis), placesOn(columnAxis)];
  const blocks = new Map<string, EditsOfBlock>();
  let block: EditsOfBlock | undefined;
  for (const [list, edits] of lists.entries())
    for (const { row, column, input } of edits) {
      const { rowBlock, columnBlock, offset } = locate(placeOfRow(row), placeOfColumn(column));
      // Neighbours mostly are in one block: a name is made for the first of them only.
      if (block?.rowBlock !== rowBlock || block.columnBlock !== columnBlock)
        block = blocks.getOrInsertComputed(`${rowBlock},${columnBlock}`, () => ({
          rowBlock,
          columnBlock,
          offsets: [],
          inputs: [],
          lists: [],
        }));
      block.offsets.push(offset);
      block.inputs.push(input);
      block.lists.push(list);
    }
  return [...blocks.values()];
}

/** The sheet with its extent and counts after edits; what may have been the last cell and is gone is looked for anew. */
async function grown(
  tx: WriteTransaction,
  key: SheetKey,
  sheet: Sheet,
  lists: readonly (readonly CellEdit[])[],
  { formulas, volatiles }: Growth,
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
    rows: reach.row ? await usedRows(tx, key, sheet, Math.min(reach.rows, ROWS)) : reach.rows,
    columns: reach.column
      ? await usedColumns(tx, key, sheet, Math.min(reach.columns, COLUMNS))
      : reach.columns,
  };
}

/** How many rows are used, counted from what is stored, looking upwards from `atMost`. */
async function usedRows(
  tx: ReadTransaction,
  key: SheetKey,
  { rowAxis }: Pick<Sheet, 'rowAxis'>,
  atMost = ROWS,
): Promise<number> {
  for (const span of spansOf(rowAxis, 0, atMost - 1).reverse()) {
    const place = await lastUsedPlace(tx, key, span);
    if (place !== undefined) return span.line + place - span.place + 1;
  }
  return 0;
}

/** How many columns are used, as `usedRows`. */
async function usedColumns(
  tx: ReadTransaction,
  key: SheetKey,
  { columnAxis }: Pick<Sheet, 'columnAxis'>,
  atMost = COLUMNS,
): Promise<number> {
  for (const { line, place, count } of spansOf(columnAxis, 0, atMost - 1).reverse()) {
    const last = await findLastColumn(tx, key, place, place + count - 1);
    if (last !== undefined) return line + last - place + 1;
  }
  return 0;
}

/** A row of blocks may hold rows of other spans too, so where one holds nothing of this span, the one before is asked. */
async function lastUsedPlace(tx: ReadTransaction, key: SheetKey, span: Span): Promise<number | undefined> {
  const first = Math.floor(span.place / BLOCK_ROWS);
  let last = Math.floor((span.place + span.count - 1) / BLOCK_ROWS);
  for (;;) {
    const block = await findLastRowBlock(tx, key, first, last);
    if (block === undefined) return undefined;
    const place = await lastPlaceIn(tx, key, block, span);
    if (place !== undefined) return place;
    last = block - 1;
  }
}

async function lastPlaceIn(
  tx: ReadTransaction,
  key: SheetKey,
  rowBlock: number,
  { place, count }: Span,
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
        const { row } = placesOf(block, offset);
        if (row >= place && row < place + count && row > (found ?? Number.NEGATIVE_INFINITY)) found = row;
      }
    }
  }
  return found;
}

/** Wider than any axis reaches. */
const FIRST = -(2 ** 40);
const LAST = 2 ** 40;
