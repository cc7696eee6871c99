import { JsonText } from '../../api/answers.ts';
import { requireParameter } from '../../api/required-values.ts';
import type { Extent } from '../../formulas/calculation.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { type A1Range, formatRange, parseRange, type Rectangle } from './a1.ts';
import { endOfBlock } from './block.ts';
import { showPieces } from './cells-reading.ts';
import { TextGrid } from './grid.ts';
import { whileHeld } from './held-workbooks.ts';
import { type OpenedSpreadsheet, openToRead } from './opening.ts';
import type { DriveOwner, SpreadsheetParts } from './parts.ts';
import { rangeKey } from './range-texts.ts';
import { ReadQuery, type Spreadsheet } from './schema.ts';
import { quotedSheetName } from './sheet-names.ts';
import { shownExtents } from './shown-extents.ts';
import { hasFormulas, hasVolatiles, type Sheet, sheetNamed, type Workbook } from './workbook.ts';

/** What a reader wants to see of formulas. */
export type Render = 'value' | 'formula';

/** What is read, a range as ready JSON, and the state that it was read in; nothing where the reader has it already. */
export interface ReadAnswer<Data = JsonText> {
  readonly state: string;
  readonly data: Data | undefined;
}

/** Whether the reader has what it would get in this state. Throws ApiError state_mismatch where it wants no such state. */
export type IsKnown = (state: string) => boolean;

/**
 * A spreadsheet and how far each of its sheets shows something, outside of any transaction. Rejects with ApiError
 * not_found or forbidden, and as `isKnown` throws.
 */
export async function getSpreadsheet(
  parts: SpreadsheetParts,
  user: DriveOwner,
  id: string,
  isKnown: IsKnown,
): Promise<ReadAnswer<Spreadsheet>> {
  const seen = await parts.database.read((tx) => openToRead(tx, parts, user, id));
  const known = knownOutline(seen, isKnown);
  if (known) return known;
  const { opened, extents } = hasFormulas(seen.workbook)
    ? await shownExtents(parts, user, seen)
    : { opened: seen, extents: seen.workbook.sheets };
  // Somebody may have written since it was asked before.
  const knownNow = knownOutline(opened, isKnown);
  if (knownNow) return knownNow;
  const { title, state, workbook } = opened;
  const sheets = workbook.sheets.map(({ name }, index) => {
    const { rows, columns } = extents[index] ?? NOTHING;
    return { name, rows, columns };
  });
  return { state, data: { id, title, state, sheets } };
}

const NOTHING: Extent = { rows: 0, columns: 0 };

function knownOutline(
  { state, workbook }: OpenedSpreadsheet,
  isKnown: IsKnown,
): ReadAnswer<Spreadsheet> | undefined {
  return isKnown(state) && !hasVolatiles(workbook) ? { state, data: undefined } : undefined;
}

/**
 * The cells of a range, outside of any transaction. What no formula is needed for, or was read before in this version,
 * comes from one short read. Rejects with ApiError not_found for the spreadsheet or the sheet, forbidden,
 * validation_failed where there are too many, and as `isKnown` throws.
 */
export async function readRange(
  parts: SpreadsheetParts,
  user: DriveOwner,
  id: string,
  { range: text, render }: { range: string; render: Render },
  isKnown: IsKnown,
): Promise<ReadAnswer> {
  requireParameter(ReadQuery.properties.render, render, 'render');
  const range = parseRange(text);
  const answer = await parts.database.read(async (tx) => {
    const opened = await openToRead(tx, parts, user, id);
    const { workbook } = opened;
    const isCalculated = render === 'value' && hasFormulas(workbook);
    const wanted = { opened, range, isCalculated, sheet: sheetNamed(workbook, range.sheet) };
    const known = knownAnswer(wanted, isKnown);
    if (known) return known;
    const remembered = recalled(parts, wanted);
    if (remembered !== undefined) return rangeAnswer(wanted, remembered);
    return isCalculated ? { seen: workbook } : rangeAnswer(wanted, await readInputs(tx, parts, wanted));
  });
  return 'seen' in answer ? readCalculated(parts, user, answer.seen, range, isKnown) : answer;
}

/** A range of one version, as values or as what was written. */
interface WantedRange {
  readonly opened: OpenedSpreadsheet;
  readonly sheet: Sheet;
  readonly range: A1Range;
  readonly isCalculated: boolean;
}

function readCalculated(
  parts: SpreadsheetParts,
  user: DriveOwner,
  seen: Workbook,
  range: A1Range,
  isKnown: IsKnown,
): Promise<ReadAnswer> {
  return whileHeld(parts, user, seen, async (opened) => {
    const sheet = sheetNamed(opened.workbook, range.sheet);
    const wanted = { opened, sheet, range, isCalculated: true };
    // Somebody may have written since it was asked before.
    const known = knownAnswer(wanted, isKnown);
    if (known) return known;
    const values = await parts.calculated.read(opened.workbook, sheet, range.area);
    return rangeAnswer(wanted, remember(parts, wanted, JSON.stringify(values)));
  });
}

/**
 * Computes a spreadsheet outside of any transaction, so that what then reads it within one finds it computed. Answers
 * whether it has formulas. Rejects as `readRange` does.
 */
export async function computeValues(parts: SpreadsheetParts, user: DriveOwner, id: string): Promise<boolean> {
  const { calculated, database } = parts;
  const seen = await database.read((tx) => openToRead(tx, parts, user, id));
  if (!hasFormulas(seen.workbook)) return false;
  await whileHeld(parts, user, seen.workbook, ({ workbook }) =>
    calculated.readWindow(workbook, sheetNamed(workbook, undefined), FIRST_CELL),
  );
  return true;
}

const FIRST_CELL: Rectangle = { top: 0, left: 0, bottom: 0, right: 0 };

/** That there is nothing to send, where the reader has it already. Throws as `isKnown`, whatever the formulas. */
function knownAnswer(wanted: WantedRange, isKnown: IsKnown): ReadAnswer | undefined {
  const { state } = wanted.opened;
  return isKnown(state) && !isVolatile(wanted) ? { state, data: undefined } : undefined;
}

/** Whether it may show something else though nothing was changed. */
function isVolatile({ opened, isCalculated }: WantedRange): boolean {
  return isCalculated && hasVolatiles(opened.workbook);
}

function recalled({ rangeTexts }: SpreadsheetParts, wanted: WantedRange): string | undefined {
  return isVolatile(wanted) ? undefined : rangeTexts.get(keyOf(wanted));
}

/** Keeps values, as JSON, for whoever asks for the same again. */
function remember({ rangeTexts }: SpreadsheetParts, wanted: WantedRange, values: string): string {
  if (!isVolatile(wanted)) rangeTexts.set(keyOf(wanted), values);
  return values;
}

function keyOf({ opened, sheet, range, isCalculated }: WantedRange): string {
  return rangeKey(opened.workbook, sheet, range.area, isCalculated);
}

function rangeAnswer({ opened, sheet, range: { area, form } }: WantedRange, values: string): ReadAnswer {
  const { state } = opened;
  const range = JSON.stringify(formatRange(quotedSheetName(sheet.name), area, form));
  return { state, data: new JsonText(`{"range":${range},"values":${values},"state":"${state}"}`) };
}

/** What was written, as JSON. Rejects with ApiError validation_failed where it is too much. */
async function readInputs(
  tx: ReadTransaction,
  parts: SpreadsheetParts,
  wanted: WantedRange,
): Promise<string> {
  const { opened, sheet, range } = wanted;
  const { workbook } = opened;
  const { top, left } = range.area;
  const bottom = Math.min(range.area.bottom, sheet.rows - 1);
  if (bottom < top || sheet.columns <= left) return '[]';
  // Right of the last column nothing is used, and whole blocks need not be cut.
  const right = Math.min(range.area.right, endOfBlock(sheet.columns - 1));
  const used = { top, left, bottom, right };
  const read = (area: Rectangle) => readGrid(tx, workbook.workspaceId, sheet, area);
  const joined = await parts.strips.json(workbook, sheet, used, read);
  return joined ?? remember(parts, wanted, (await read(used)).json());
}

async function readGrid(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  area: Rectangle,
): Promise<TextGrid> {
  const grid = new TextGrid();
  await showPieces(tx, workspaceId, sheet, area, (row, column, cells, count) =>
    grid.add(row - area.top, column - area.left, cells, count),
  );
  return grid;
}
