import { JsonStream, JsonText } from '../../../contract/answers.ts';
import { requireParameter } from '../../../contract/required-values.ts';
import { stagedText } from '../../../contract/staged-text.ts';
import type { Extent } from '../../../formulas/calculation.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { type A1Range, formatRange, parseRange, type Rectangle } from '../cells/a1.ts';
import { endOfBlock } from '../cells/block.ts';
import { GridFull } from '../cells/grid.ts';
import { shownExtents } from '../cells/shown-extents.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { ReadQuery, type Spreadsheet } from '../schema.ts';
import { whileHeld } from '../workbook/held-workbooks.ts';
import { type OpenedSpreadsheet, openToRead } from '../workbook/saving.ts';
import { withOpened } from '../workbook/snapshot-reading.ts';
import {
  hasFormulas,
  hasVolatiles,
  quotedSheetName,
  type Sheet,
  sheetNamed,
  type Workbook,
} from '../workbook/workbook.ts';
import { MOST_AT_ONCE, makeInTransaction, rangeKey } from './large-answers.ts';
import { readGrid, textOfInputs, textOfValues } from './values-text.ts';

/** What a reader wants to see of formulas. */
export type Render = 'value' | 'formula';

/** What is read, a range as ready JSON, and the state that it was read in; nothing where the reader has it already. */
export interface ReadAnswer<Data = JsonText | JsonStream> {
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
  parts: SpreadsheetDependencies,
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
  parts: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  { range: text, render }: { range: string; render: Render },
  isKnown: IsKnown,
): Promise<ReadAnswer> {
  requireParameter(ReadQuery.properties.render, render, 'render');
  const range = parseRange(text);
  const inTransaction = (work: (tx: ReadTransaction) => Promise<Read>) => parts.database.read(work);
  const answer = await makeInTransaction(inTransaction, heldBy, async (tx) => {
    const opened = await openToRead(tx, parts, user, id);
    const { workbook } = opened;
    const isCalculated = render === 'value' && hasFormulas(workbook);
    const wanted = { opened, range, isCalculated, sheet: sheetNamed(workbook, range.sheet) };
    const known = knownAnswer(wanted, isKnown);
    if (known) return known;
    const remembered = recalled(parts, wanted);
    if (remembered !== undefined) return rangeAnswer(wanted, remembered);
    if (isCalculated) return { seen: workbook };
    const inputs = await readInputs(tx, parts, wanted);
    return inputs === undefined ? undefined : rangeAnswer(wanted, inputs);
  });
  const read = answer && 'seen' in answer ? readCalculated(parts, user, answer.seen, range, isKnown) : answer;
  return (await read) ?? readLarge(parts, user, id, { range, render }, isKnown);
}

/** What a first reading comes to: an answer, a version that has to be computed, or nothing where it is too much. */
type Read = ReadAnswer | { readonly seen: Workbook } | undefined;

function heldBy(read: Read): JsonStream | undefined {
  return read && 'data' in read && read.data instanceof JsonStream ? read.data : undefined;
}

/** A range of one version, as values or as what was written. */
interface WantedRange {
  readonly opened: OpenedSpreadsheet;
  readonly sheet: Sheet;
  readonly range: A1Range;
  readonly isCalculated: boolean;
}

/** Nothing where it is more than may wait in memory. */
function readCalculated(
  parts: SpreadsheetDependencies,
  user: DriveOwner,
  seen: Workbook,
  range: A1Range,
  isKnown: IsKnown,
): Promise<ReadAnswer | undefined> {
  return whileHeld(parts, user, seen, async (opened) => {
    const sheet = sheetNamed(opened.workbook, range.sheet);
    const wanted = { opened, sheet, range, isCalculated: true };
    // Somebody may have written since it was asked before.
    const known = knownAnswer(wanted, isKnown);
    if (known) return known;
    const read = parts.calculated.reading(opened.workbook, sheet);
    const values = await parts.heldAnswers.hold(textOfValues(sheet, range.area, read));
    if (typeof values === 'string') remember(parts, wanted, values);
    return values === undefined ? undefined : rangeAnswer(wanted, values);
  });
}

/** Writes an answer to the end before it is sent, in the turn of those who read much of a spreadsheet. */
function readLarge(
  parts: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  { range, render }: { range: A1Range; render: Render },
  isKnown: IsKnown,
): Promise<ReadAnswer> {
  const inTransaction = (work: (tx: ReadTransaction, opened: OpenedSpreadsheet) => Promise<ReadAnswer>) =>
    withOpened(parts, user, id, { isCalculated: render === 'value' }, work);
  return makeInTransaction(inTransaction, heldBy, async (tx, opened) => {
    const { workbook } = opened;
    const sheet = sheetNamed(workbook, range.sheet);
    const isCalculated = render === 'value' && hasFormulas(workbook);
    const wanted = { opened, range, isCalculated, sheet };
    const known = knownAnswer(wanted, isKnown);
    if (known) return known;
    const used = isCalculated ? undefined : usedArea(wanted);
    const text = used
      ? textOfInputs(tx, workbook.workspaceId, sheet, used)
      : textOfValues(sheet, range.area, parts.calculated.readingOf(tx, workbook, sheet));
    return rangeAnswer(wanted, await stagedText(parts.staging, text));
  });
}

/** That there is nothing to send, where the reader has it already. Throws as `isKnown`, whatever the formulas. */
function knownAnswer(wanted: WantedRange, isKnown: IsKnown): ReadAnswer | undefined {
  const { state } = wanted.opened;
  return isKnown(state) && !isVolatile(wanted) ? { state, data: undefined } : undefined;
}

/** Whether it may show something else though nothing was changed. */
function isVolatile({ opened, isCalculated }: WantedRange): boolean {
  return isCalculated && hasVolatiles(opened.workbook);
}

function recalled({ rangeTexts }: SpreadsheetDependencies, wanted: WantedRange): string | undefined {
  return isVolatile(wanted) ? undefined : rangeTexts.get(keyOf(wanted));
}

/** Keeps values, as JSON, for whoever asks for the same again. */
function remember({ rangeTexts }: SpreadsheetDependencies, wanted: WantedRange, values: string): string {
  if (!isVolatile(wanted)) rangeTexts.set(keyOf(wanted), values);
  return values;
}

function keyOf({ opened, sheet, range, isCalculated }: WantedRange): string {
  return rangeKey(opened.workbook, sheet, range.area, isCalculated);
}

function rangeAnswer(
  { opened, sheet, range: { area, form } }: WantedRange,
  values: string | JsonStream,
): ReadAnswer {
  const { state } = opened;
  const range = JSON.stringify(formatRange(quotedSheetName(sheet.name), area, form));
  const [start, end] = [`{"range":${range},"values":`, `,"state":"${state}"}`];
  if (values instanceof JsonStream) return { state, data: values.within(start, end) };
  return { state, data: new JsonText(`${start}${values}${end}`) };
}

/** What of a range may be used. Right of the last column nothing is, and whole blocks need not be cut. */
function usedArea({ sheet, range: { area } }: WantedRange): Rectangle | undefined {
  const bottom = Math.min(area.bottom, sheet.rows - 1);
  if (bottom < area.top || sheet.columns <= area.left) return undefined;
  return { ...area, bottom, right: Math.min(area.right, endOfBlock(sheet.columns - 1)) };
}

/** What was written, as JSON; nothing where it is more than may wait in memory. Rejects with ApiError validation_failed where it is too much. */
async function readInputs(
  tx: ReadTransaction,
  parts: SpreadsheetDependencies,
  wanted: WantedRange,
): Promise<string | JsonStream | undefined> {
  const { opened, sheet } = wanted;
  const { workbook } = opened;
  const used = usedArea(wanted);
  if (!used) return '[]';
  try {
    const grid = await readGrid(tx, workbook.workspaceId, sheet, used, MOST_AT_ONCE);
    return remember(parts, wanted, grid.json());
  } catch (error) {
    if (!(error instanceof GridFull)) throw error;
    return parts.heldAnswers.hold(textOfInputs(tx, workbook.workspaceId, sheet, used));
  }
}
