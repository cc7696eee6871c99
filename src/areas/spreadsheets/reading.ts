import type { ReadTransaction } from '../../storage/database.ts';
import { type A1Range, formatRange, parseRange, type Rectangle } from './a1.ts';
import { whileHeld } from './calculated-values.ts';
import { usedCells } from './cells-reading.ts';
import { GridBuilder } from './grid.ts';
import { type OpenedSpreadsheet, openToRead } from './opening.ts';
import type { DriveOwner, SpreadsheetParts } from './parts.ts';
import type { RangeValues, Spreadsheet } from './schema.ts';
import { quotedSheetName } from './sheet-names.ts';
import { hasFormulas, hasVolatiles, type Sheet, sheetNamed } from './workbook.ts';

/** What a reader wants to see of formulas. */
export type Render = 'value' | 'formula';

/** Something read, and the state that it was read in; nothing where the reader has it already. */
export interface ReadAnswer<T> {
  readonly state: string;
  readonly data: T | undefined;
}

/** Whether the reader has what it would get in this state. */
export type IsKnown = (state: string) => boolean;

/** Throws ApiError not_found or forbidden. */
export async function getSpreadsheet(
  tx: ReadTransaction,
  parts: SpreadsheetParts,
  user: DriveOwner,
  id: string,
): Promise<Spreadsheet> {
  const { title, state, workbook } = await openToRead(tx, parts, user, id);
  return {
    id,
    title,
    state,
    sheets: workbook.sheets.map(({ name, rows, columns }) => ({ name, rows, columns })),
  };
}

/**
 * The cells of a range, outside of any transaction. What no formula is needed for comes from one short read. Rejects
 * with ApiError not_found for the spreadsheet or the sheet, forbidden, validation_failed where there are too many.
 */
export async function readRange(
  parts: SpreadsheetParts,
  user: DriveOwner,
  id: string,
  { range: text, render }: { range: string; render: Render },
  isKnown: IsKnown,
): Promise<ReadAnswer<RangeValues>> {
  const range = parseRange(text);
  const answer = await parts.database.read(async (tx) => {
    const opened = await openToRead(tx, parts, user, id);
    const { workbook, state } = opened;
    const sheet = sheetNamed(workbook, range.sheet);
    const isCalculated = render === 'value' && hasFormulas(workbook);
    const mayBeKnown = !isCalculated || !hasVolatiles(workbook);
    if (mayBeKnown && isKnown(state)) return { state, data: undefined };
    if (isCalculated) return undefined;
    return rangeValues(opened, sheet, range, await readInputs(tx, workbook.workspaceId, sheet, range.area));
  });
  return answer ?? readCalculated(parts, user, id, range);
}

function readCalculated(
  parts: SpreadsheetParts,
  user: DriveOwner,
  id: string,
  range: A1Range,
): Promise<ReadAnswer<RangeValues>> {
  const { database, calculated } = parts;
  const readOnce = async () => {
    const opened = await database.read(async (tx) => {
      const found = await openToRead(tx, parts, user, id);
      await calculated.bringTo(tx, found.workbook);
      return found;
    });
    const sheet = sheetNamed(opened.workbook, range.sheet);
    return rangeValues(opened, sheet, range, await calculated.read(opened.workbook, sheet, range.area));
  };
  return calculated.inTurn(id, () => whileHeld(readOnce));
}

function rangeValues(
  { state }: OpenedSpreadsheet,
  sheet: Sheet,
  { area, form }: A1Range,
  values: RangeValues['values'],
): ReadAnswer<RangeValues> {
  const range = formatRange(quotedSheetName(sheet.name), area, form);
  return { state, data: { range, values, state } };
}

async function readInputs(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): Promise<RangeValues['values']> {
  const grid = new GridBuilder();
  const used = {
    ...area,
    bottom: Math.min(area.bottom, sheet.rows - 1),
    right: Math.min(area.right, sheet.columns - 1),
  };
  for await (const cells of usedCells(tx, workspaceId, sheet, used)) {
    for (const { row, column, input } of cells) grid.set(row - area.top, column - area.left, input);
  }
  return grid.rows();
}
