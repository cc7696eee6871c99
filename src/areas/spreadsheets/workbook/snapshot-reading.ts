import type { Extent } from '../../../formulas/calculation.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { requireWanted } from '../../../turns/wanted.ts';
import { COLUMNS, type Rectangle, ROWS } from '../cells/a1.ts';
import { BLOCK_ROWS } from '../cells/block.ts';
import { hiddenRowsOf } from '../cells/hidden-rows.ts';
import type { DriveOwner, SpreadsheetParts } from '../cells/parts.ts';
import { usedCells } from '../reading/cells-reading.ts';
import { formattedCells } from '../writing/formatting.ts';
import type { CalculatedValues } from './calculated-values.ts';
import { whileHeld } from './held-workbooks.ts';
import { type OpenedSpreadsheet, openToRead } from './opening.ts';
import type { SheetSnapshot, SnapshotCell, SpreadsheetSnapshot } from './snapshot.ts';
import { SnapshotRows } from './snapshot-rows.ts';
import { hasFormulas, type Sheet, sheetNamed, type Workbook } from './workbook.ts';

/** Hands a spreadsheet as it is at one moment to `use`, whose cells can be read until it has ended. */
export function withSnapshot<T>(
  parts: SpreadsheetParts,
  user: DriveOwner,
  id: string,
  use: (snapshot: SpreadsheetSnapshot) => Promise<T>,
): Promise<T> {
  return withOpened(parts, user, id, { isCalculated: true }, async (tx, { title, state, workbook }) => {
    const sheets: SheetSnapshot[] = [];
    for (const sheet of workbook.sheets)
      sheets.push(await sheetSnapshot(tx, parts.calculated, workbook, sheet));
    return use({ title, state, sheets });
  });
}

/**
 * Opens a spreadsheet for what reads much of it in one transaction: few may at a time, and of one user one. Where values
 * are wanted, its formulas are computed before.
 */
export async function withOpened<T>(
  parts: SpreadsheetParts,
  user: DriveOwner,
  id: string,
  wanted: { isCalculated: boolean },
  use: (tx: ReadTransaction, opened: OpenedSpreadsheet) => Promise<T>,
): Promise<T> {
  const { database, calculated } = parts;
  const isCalculated = wanted.isCalculated && (await computeValues(parts, user, id));
  const { turns } = calculated;
  const inTurn = () => database.read(async (tx) => use(tx, await openToRead(tx, parts, user, id)));
  const isLong = isCalculated && calculated.takesLong(id);
  return isLong ? turns.inLongCalculation(id, inTurn) : turns.inSnapshot(id, inTurn);
}

/**
 * Computes a spreadsheet outside of any transaction, so that what then reads it within one finds it computed. Answers
 * whether it has formulas.
 */
async function computeValues(parts: SpreadsheetParts, user: DriveOwner, id: string): Promise<boolean> {
  const { calculated, database } = parts;
  const seen = await database.read((tx) => openToRead(tx, parts, user, id));
  if (!hasFormulas(seen.workbook)) return false;
  await whileHeld(parts, user, seen.workbook, ({ workbook }) =>
    calculated.compute(workbook, sheetNamed(workbook, undefined)),
  );
  return true;
}

async function sheetSnapshot(
  tx: ReadTransaction,
  calculated: CalculatedValues,
  workbook: Workbook,
  sheet: Sheet,
): Promise<SheetSnapshot> {
  const { name, rows, columns, hidden } = sheet;
  const hiddenRows = await hiddenRowsOf(tx, workbook, sheet);
  const shown = await calculated.shownExtentOf(tx, workbook, sheet);
  const cells = () => snapshotCells(tx, calculated, workbook, sheet, shown);
  return { name, rows, columns, shown, hidden, hiddenRows, cells };
}

/** Rows of one portion: whole blocks of them, and as many more as make so many cells. */
const MOST_ROWS_AT_ONCE = 512;
const CELLS_AT_ONCE = 32_768;

/** How many rows of a sheet are read at a time. */
export function rowsAtOnce(columns: number): number {
  const blocks = Math.floor(CELLS_AT_ONCE / Math.max(columns, 1) / BLOCK_ROWS);
  return Math.min(Math.max(blocks, 1) * BLOCK_ROWS, MOST_ROWS_AT_ONCE);
}

/**
 * The rows of a sheet in portions; what lies below the used and the formatted ones is one, and holds at most what formulas
 * spill there.
 */
function* portionsOf(
  { rows: used, columns, formatted, formulas }: Sheet,
  shown: Extent,
): Generator<Rectangle> {
  const rows = Math.max(used, formatted?.rows ?? 0);
  const atOnce = rowsAtOnce(Math.max(columns, formatted?.columns ?? 0, shown.columns));
  const left = 0;
  const right = COLUMNS - 1;
  for (let top = 0; top < rows; top += atOnce) {
    yield { top, bottom: Math.min(top + atOnce, rows) - 1, left, right };
  }
  if (formulas > 0 && rows < ROWS) yield { top: rows, bottom: ROWS - 1, left, right };
}

/** Row by row, those with much in them in parts, with a turn for others in between. */
async function* snapshotCells(
  tx: ReadTransaction,
  calculated: CalculatedValues,
  workbook: Workbook,
  sheet: Sheet,
  shown: Extent,
): AsyncGenerator<SnapshotCell[]> {
  const { workspaceId } = workbook;
  const read = sheet.formulas > 0 ? calculated.readingOf(tx, workbook, sheet) : undefined;
  for (const area of portionsOf(sheet, shown)) {
    const rows = new SnapshotRows();
    for await (const cells of usedCells(tx, workspaceId, sheet, area)) {
      rows.addUsed(cells);
      await giveWay();
    }
    for await (const cells of formattedCells(tx, workspaceId, sheet, area)) {
      rows.addFormatted(cells);
      await giveWay();
    }
    for await (const cells of rows.inOrder(area.top, read ? read(area) : [])) {
      requireWanted();
      yield cells;
      await giveWay();
    }
  }
}
