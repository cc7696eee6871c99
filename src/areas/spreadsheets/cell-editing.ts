import type { WriteTransaction } from '../../storage/database.ts';
import { COLUMNS, ROWS } from './a1.ts';
import { placeOf } from './axis.ts';
import { type CellValue, locate } from './block.ts';
import { BlockEdits, blocksAround, type Growth, noGrowth } from './block-edits.ts';
import { findBlocks, putBlocks, removeBlocks, type SheetKey } from './block-store.ts';
import type { SheetBlock } from './change-store.ts';
import { addToColumnCounts } from './column-store.ts';
import { usedColumns, usedRows } from './extent.ts';
import type { Sheet } from './workbook.ts';

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

/** Blocks that are in memory at a time: each may hold 256 texts of 50,000 characters. */
const BLOCKS_AT_ONCE = 32;

/** An edit at the place where its cell is kept, and in which list it came. */
interface PlacedEdit extends CellEdit {
  readonly list: number;
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
  for (const portion of portionsOf(byBlock(placedOn(sheet, lists)))) {
    const edits = new BlockEdits(await findBlocks(tx, key, blocksAround(portion)), growth);
    for (const { row, column, input, list } of portion) {
      if (edits.set(row, column, input)) updated[list] = (updated[list] ?? 0) + 1;
    }
    const { stored, emptied } = edits.result();
    await putBlocks(tx, key, stored);
    await removeBlocks(tx, key, emptied);
    for (const { rowBlock, columnBlock } of [...stored, ...emptied]) {
      blocks.push({ sheet: sheet.id, rowBlock, columnBlock });
    }
  }
  if (blocks.length === 0) return { sheet, updated, blocks };
  await addToColumnCounts(tx, key, growth.columns);
  return { sheet: await grown(tx, key, sheet, lists.flat(), growth), updated, blocks };
}

/** The edits of each block, in their order: those of different blocks have nothing to do with each other. */
function byBlock(edits: readonly PlacedEdit[]): PlacedEdit[][] {
  const blocks = new Map<string, PlacedEdit[]>();
  for (const edit of edits) {
    const { rowBlock, columnBlock } = locate(edit.row, edit.column);
    const name = `${rowBlock},${columnBlock}`;
    const known = blocks.get(name);
    if (known) known.push(edit);
    else blocks.set(name, [edit]);
  }
  return [...blocks.values()];
}

function* portionsOf(blocks: readonly PlacedEdit[][]): Generator<PlacedEdit[]> {
  for (let i = 0; i < blocks.length; i += BLOCKS_AT_ONCE) yield blocks.slice(i, i + BLOCKS_AT_ONCE).flat();
}

/** The same edits at the places where their cells are kept. */
function placedOn({ rowAxis, columnAxis }: Sheet, lists: readonly (readonly CellEdit[])[]): PlacedEdit[] {
  const rowPlace = remembering((row) => placeOf(rowAxis, row));
  const columnPlace = remembering((column) => placeOf(columnAxis, column));
  return lists.flatMap((edits, list) =>
    edits.map(({ row, column, input }) => ({
      row: rowPlace(row),
      column: columnPlace(column),
      input,
      list,
    })),
  );
}

function remembering(find: (line: number) => number): (line: number) => number {
  const found = new Map<number, number>();
  return (line) => {
    const place = found.get(line) ?? find(line);
    found.set(line, place);
    return place;
  };
}

/** The sheet with its extent and counts after edits; what may have been the last cell and is gone is looked for anew. */
async function grown(
  tx: WriteTransaction,
  key: SheetKey,
  sheet: Sheet,
  edits: readonly CellEdit[],
  { formulas, volatiles }: Growth,
): Promise<Sheet> {
  const reach = { rows: sheet.rows, columns: sheet.columns, row: false, column: false };
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
