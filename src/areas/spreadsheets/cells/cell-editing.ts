import type { WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { SheetBlock } from '../workbook/change-store.ts';
import type { Sheet } from '../workbook/workbook.ts';
import { COLUMNS, ROWS } from './a1.ts';
import { placesOn } from './axis.ts';
import { type BlockKey, type CellValue, locate } from './block.ts';
import { BlockEdits, type EditedBlock, type Growth, noGrowth } from './block-edits.ts';
import { foundPortions } from './block-portions.ts';
import { putBlocks, removeBlocks, type SheetKey } from './block-store.ts';
import { addToColumnCounts } from './column-store.ts';
import { usedColumns, usedRows } from './extent.ts';

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
