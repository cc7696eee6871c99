import type { ShownValue } from '../../formulas/calculation.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { COLUMNS, type Rectangle, ROWS } from './a1.ts';
import { isFormula } from './block.ts';
import type { CalculatedValues } from './calculated-values.ts';
import { type UsedCell, usedCells } from './cells-reading.ts';
import { hiddenRowsOf } from './hidden-rows.ts';
import { openToRead } from './opening.ts';
import type { DriveOwner, SpreadsheetParts } from './parts.ts';
import { computeValues } from './reading.ts';
import type { SheetSnapshot, SnapshotCell, SpreadsheetSnapshot } from './snapshot.ts';
import type { Sheet, Workbook } from './workbook.ts';

/** Hands a spreadsheet as it is at one moment to `use`, whose cells can be read until it has ended. */
export async function withSnapshot<T>(
  parts: SpreadsheetParts,
  user: DriveOwner,
  id: string,
  use: (snapshot: SpreadsheetSnapshot) => Promise<T>,
): Promise<T> {
  const { database, calculated } = parts;
  const isCalculated = await computeValues(parts, user, id);
  const read = async (tx: ReadTransaction) => {
    const { title, state, workbook } = await openToRead(tx, parts, user, id);
    const sheets: SheetSnapshot[] = [];
    for (const sheet of workbook.sheets) sheets.push(await sheetSnapshot(tx, calculated, workbook, sheet));
    return use({ title, state, sheets });
  };
  return calculated.inTurn(id, () => {
    if (!isCalculated) return database.read(read);
    return calculated.withThread(id, () => calculated.inOpening(() => database.read(read)));
  });
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
  const cells = () => snapshotCells(tx, calculated, workbook, sheet);
  return { name, rows, columns, shown, hidden, hiddenRows, cells };
}

/** Rows of one portion. */
const ROWS_AT_ONCE = 512;

/** The rows of a sheet in portions; what lies below the used ones is one, and holds at most what formulas spill there. */
function* portionsOf({ rows, formulas }: Sheet): Generator<Rectangle> {
  const left = 0;
  const right = COLUMNS - 1;
  for (let top = 0; top < rows; top += ROWS_AT_ONCE) {
    yield { top, bottom: Math.min(top + ROWS_AT_ONCE, rows) - 1, left, right };
  }
  if (formulas > 0 && rows < ROWS) yield { top: rows, bottom: ROWS - 1, left, right };
}

async function* snapshotCells(
  tx: ReadTransaction,
  calculated: CalculatedValues,
  workbook: Workbook,
  sheet: Sheet,
): AsyncGenerator<SnapshotCell[]> {
  for (const area of portionsOf(sheet)) {
    const used: UsedCell[] = [];
    for await (const some of usedCells(tx, workbook.workspaceId, sheet, area)) used.push(...some);
    const values = sheet.formulas > 0 ? await calculated.readOf(tx, workbook, sheet, area) : [];
    const cells = shownCells(used, values, area.top);
    if (cells.length > 0) yield cells;
  }
}

/** Used cells with what they show, and those that show something without being used. */
function shownCells(
  used: readonly UsedCell[],
  values: readonly (readonly ShownValue[])[],
  top: number,
): SnapshotCell[] {
  const cells: SnapshotCell[] = used.map((cell) => ({
    ...cell,
    value: shownValue(cell, values[cell.row - top]),
  }));
  const places = new Set(used.map(({ row, column }) => placeOf(row, column)));
  for (const [at, row] of values.entries()) {
    for (const [column, value] of row.entries()) {
      if (value === '' || places.has(placeOf(top + at, column))) continue;
      cells.push({ row: top + at, column, input: undefined, value });
    }
  }
  return cells.sort((a, b) => a.row - b.row || a.column - b.column);
}

function placeOf(row: number, column: number): number {
  return row * COLUMNS + column;
}

function shownValue({ input, column }: UsedCell, row: readonly ShownValue[] | undefined): ShownValue {
  return isFormula(input) ? (row?.[column] ?? '') : input;
}
