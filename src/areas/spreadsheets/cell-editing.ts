import type { WriteTransaction } from '../../storage/database.ts';
import { COLUMNS, ROWS } from './a1.ts';
import { placeOf } from './axis.ts';
import type { CellValue } from './block.ts';
import { BlockEdits, blocksAround, type Growth } from './block-edits.ts';
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

/** Changes cells of a sheet, list after list, in a handful of statements however many they are. */
export async function editCells(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  lists: readonly (readonly CellEdit[])[],
): Promise<EditOutcome> {
  const key = { workspaceId, sheet: sheet.id };
  const placed = lists.map((edits) => placedOn(sheet, edits));
  const edits = new BlockEdits(await findBlocks(tx, key, blocksAround(placed.flat())));
  const updated = placed.map((list) => countChanges(edits, list));
  const { stored, emptied } = edits.result();
  if (stored.length + emptied.length === 0) return { sheet, updated, blocks: [] };
  await putBlocks(tx, key, stored);
  await removeBlocks(tx, key, emptied);
  await addToColumnCounts(tx, key, edits.growth.columns);
  const blocks = [...stored, ...emptied].map(({ rowBlock, columnBlock }) => ({
    sheet: sheet.id,
    rowBlock,
    columnBlock,
  }));
  return { sheet: await grown(tx, key, sheet, lists.flat(), edits.growth), updated, blocks };
}

/** The same edits at the places where their cells are kept. */
function placedOn({ rowAxis, columnAxis }: Sheet, edits: readonly CellEdit[]): CellEdit[] {
  const rowPlace = remembering((row) => placeOf(rowAxis, row));
  const columnPlace = remembering((column) => placeOf(columnAxis, column));
  return edits.map(({ row, column, input }) => ({ row: rowPlace(row), column: columnPlace(column), input }));
}

function remembering(find: (line: number) => number): (line: number) => number {
  const found = new Map<number, number>();
  return (line) => {
    const place = found.get(line) ?? find(line);
    found.set(line, place);
    return place;
  };
}

function countChanges(edits: BlockEdits, list: readonly CellEdit[]): number {
  let changes = 0;
  for (const { row, column, input } of list) if (edits.set(row, column, input)) changes++;
  return changes;
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
