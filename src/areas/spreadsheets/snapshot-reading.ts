import type { ShownValue } from '../../formulas/calculation.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { COLUMNS, type Rectangle, ROWS } from './a1.ts';
import { isFormula } from './block.ts';
import type { CalculatedValues } from './calculated-values.ts';
import { type UsedCell, usedCells } from './cells-reading.ts';
import { formattedCells } from './formatting.ts';
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
  const { name, rows, columns } = sheet;
  const shown = await calculated.shownExtentOf(tx, workbook, sheet);
  return { name, rows, columns, shown, cells: () => snapshotCells(tx, calculated, workbook, sheet) };
}

/** Rows of one portion. */
const ROWS_AT_ONCE = 512;

/** The rows of a sheet in portions; what lies below the used and the formatted ones is one, and holds at most what formulas spill there. */
function* portionsOf({ rows: used, formatted, formulas }: Sheet): Generator<Rectangle> {
  const rows = Math.max(used, formatted?.rows ?? 0);
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
    const formats = await formatsOf(tx, workbook.workspaceId, sheet, area);
    const cells = shownCells(used, values, area.top, formats);
    if (cells.length > 0) yield cells;
  }
}

/** The formats of a rectangle by the places of their cells. */
async function formatsOf(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): Promise<Map<number, string>> {
  const formats = new Map<number, string>();
  for await (const cells of formattedCells(tx, workspaceId, sheet, area)) {
    for (const { row, column, format } of cells) formats.set(placeOf(row, column), format);
  }
  return formats;
}

/** Used cells with what they show, those that show something without being used, and those that only have a format. */
function shownCells(
  used: readonly UsedCell[],
  values: readonly (readonly ShownValue[])[],
  top: number,
  formats: Map<number, string>,
): SnapshotCell[] {
  const take = (row: number, column: number) => {
    const place = placeOf(row, column);
    const format = formats.get(place);
    formats.delete(place);
    return format;
  };
  const cells: SnapshotCell[] = used.map(({ row, column, input }) => ({
    row,
    column,
    input,
    value: shownValue({ row, column, input }, values[row - top]),
    format: take(row, column),
  }));
  const places = new Set(used.map(({ row, column }) => placeOf(row, column)));
  for (const [at, row] of values.entries()) {
    for (const [column, value] of row.entries()) {
      if (value === '' || places.has(placeOf(top + at, column))) continue;
      cells.push({ row: top + at, column, input: undefined, value, format: take(top + at, column) });
    }
  }
  for (const [place, format] of formats) {
    const column = place % COLUMNS;
    cells.push({ row: (place - column) / COLUMNS, column, input: undefined, value: '', format });
  }
  return cells.sort((a, b) => a.row - b.row || a.column - b.column);
}

function placeOf(row: number, column: number): number {
  return row * COLUMNS + column;
}

function shownValue({ input, column }: UsedCell, row: readonly ShownValue[] | undefined): ShownValue {
  return isFormula(input) ? (row?.[column] ?? '') : input;
}
