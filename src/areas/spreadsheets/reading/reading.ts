import { JsonStream, JsonText } from '../../../contract/answers.ts';
import { requireParameter } from '../../../contract/required-values.ts';
import { stagedText } from '../../../contract/staged-text.ts';
import type { Extent } from '../../../formulas/calculation.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { type A1Range, formatRange, parseRange, type Rectangle } from '../cells/a1.ts';
import { lastColumnOfBlock } from '../cells/block.ts';
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

/** Whether a reader wants the values of formulas or the formulas. */
export type Render = 'value' | 'formula';

/**
 * Result of a read, a range as JSON text, and the state it belongs to; `data` is undefined if the client has this state
 * already.
 */
export interface ReadAnswer<Data = JsonText | JsonStream> {
  readonly state: string;
  readonly data: Data | undefined;
}

/**
 * Whether the client already has the content of a state. Throws ApiError state_mismatch if the client requires another
 * state.
 */
export type IsKnown = (state: string) => boolean;

/**
 * A spreadsheet and the shown extent of each of its sheets, read outside of any transaction. Rejects with ApiError
 * not_found or forbidden, and with the errors of `isKnown`.
 */
export async function getSpreadsheet(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  isKnown: IsKnown,
): Promise<ReadAnswer<Spreadsheet>> {
  const seen = await dependencies.database.read((tx) => openToRead(tx, dependencies, user, id));
  const known = knownOutline(seen, isKnown);
  if (known) return known;
  const { opened, extents } = hasFormulas(seen.workbook)
    ? await shownExtents(dependencies, user, seen)
    : { opened: seen, extents: seen.workbook.sheets };
  // Another request may have written since the first check.
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
 * The cells of a range, read outside of any transaction. Inputs, and values cached for this version, need only one
 * short read transaction. Rejects with ApiError not_found for the spreadsheet or the sheet, forbidden,
 * validation_failed for too many cells, and with the errors of `isKnown`.
 */
export async function readRange(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  { range: text, render }: { range: string; render: Render },
  isKnown: IsKnown,
): Promise<ReadAnswer> {
  requireParameter(ReadQuery.properties.render, render, 'render');
  const range = parseRange(text);
  const inTransaction = (work: (tx: ReadTransaction) => Promise<Read>) => dependencies.database.read(work);
  const answer = await makeInTransaction(inTransaction, heldStream, async (tx) => {
    const opened = await openToRead(tx, dependencies, user, id);
    const { workbook } = opened;
    const isCalculated = render === 'value' && hasFormulas(workbook);
    const wanted = { opened, range, isCalculated, sheet: sheetNamed(workbook, range.sheet) };
    const known = knownAnswer(wanted, isKnown);
    if (known) return known;
    const cached = cachedText(dependencies, wanted);
    if (cached !== undefined) return rangeAnswer(wanted, cached);
    if (isCalculated) return { seen: workbook };
    const inputs = await readInputs(tx, dependencies, wanted);
    return inputs === undefined ? undefined : rangeAnswer(wanted, inputs);
  });
  const read =
    answer && 'seen' in answer ? readCalculated(dependencies, user, answer.seen, range, isKnown) : answer;
  return (await read) ?? readLarge(dependencies, user, id, { range, render }, isKnown);
}

/** Result of the first read: an answer; a version that has to be calculated; or undefined if the text is too large to hold. */
type Read = ReadAnswer | { readonly seen: Workbook } | undefined;

function heldStream(read: Read): JsonStream | undefined {
  return read && 'data' in read && read.data instanceof JsonStream ? read.data : undefined;
}

/** A range of one version, as values or as inputs. */
interface WantedRange {
  readonly opened: OpenedSpreadsheet;
  readonly sheet: Sheet;
  readonly range: A1Range;
  readonly isCalculated: boolean;
}

/** Undefined if the text is too large to hold in memory. */
function readCalculated(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  seen: Workbook,
  range: A1Range,
  isKnown: IsKnown,
): Promise<ReadAnswer | undefined> {
  return whileHeld(dependencies, user, seen, async (opened) => {
    const sheet = sheetNamed(opened.workbook, range.sheet);
    const wanted = { opened, sheet, range, isCalculated: true };
    // Another request may have written since the first check.
    const known = knownAnswer(wanted, isKnown);
    if (known) return known;
    const read = dependencies.calculated.windowReader(opened.workbook, sheet);
    const values = await dependencies.heldAnswers.hold(textOfValues(sheet, range.area, read));
    if (typeof values === 'string') cacheText(dependencies, wanted, values);
    return values === undefined ? undefined : rangeAnswer(wanted, values);
  });
}

/** Writes the whole answer to a staged file before it is sent, under the limit for reads of much of a spreadsheet. */
function readLarge(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  { range, render }: { range: A1Range; render: Render },
  isKnown: IsKnown,
): Promise<ReadAnswer> {
  const inTransaction = (work: (tx: ReadTransaction, opened: OpenedSpreadsheet) => Promise<ReadAnswer>) =>
    withOpened(dependencies, user, id, { isCalculated: render === 'value' }, work);
  return makeInTransaction(inTransaction, heldStream, async (tx, opened) => {
    const { workbook } = opened;
    const sheet = sheetNamed(workbook, range.sheet);
    const isCalculated = render === 'value' && hasFormulas(workbook);
    const wanted = { opened, range, isCalculated, sheet };
    const known = knownAnswer(wanted, isKnown);
    if (known) return known;
    const used = isCalculated ? undefined : usedArea(wanted);
    const text = used
      ? textOfInputs(tx, workbook.workspaceId, sheet, used)
      : textOfValues(sheet, range.area, dependencies.calculated.snapshotReader(tx, workbook, sheet));
    return rangeAnswer(wanted, await stagedText(dependencies.staging, text));
  });
}

/** An answer without data if the client has the state already. Throws as `isKnown`, also for volatile formulas. */
function knownAnswer(wanted: WantedRange, isKnown: IsKnown): ReadAnswer | undefined {
  const { state } = wanted.opened;
  return isKnown(state) && !isVolatile(wanted) ? { state, data: undefined } : undefined;
}

/** Whether the values may change although no cell changes. */
function isVolatile({ opened, isCalculated }: WantedRange): boolean {
  return isCalculated && hasVolatiles(opened.workbook);
}

function cachedText({ rangeTexts }: SpreadsheetDependencies, wanted: WantedRange): string | undefined {
  return isVolatile(wanted) ? undefined : rangeTexts.get(keyOf(wanted));
}

/** Caches values, as JSON, for later requests for the same range. */
function cacheText({ rangeTexts }: SpreadsheetDependencies, wanted: WantedRange, values: string): string {
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

/**
 * The portion of a range that may contain used cells. The right bound is the end of a block, so that blocks need not be
 * cut.
 */
function usedArea({ sheet, range: { area } }: WantedRange): Rectangle | undefined {
  const bottom = Math.min(area.bottom, sheet.rows - 1);
  if (bottom < area.top || sheet.columns <= area.left) return undefined;
  return { ...area, bottom, right: Math.min(area.right, lastColumnOfBlock(sheet.columns - 1)) };
}

/**
 * The inputs as JSON; undefined if the text is too large to hold in memory. Rejects with ApiError validation_failed
 * above the limits of an answer.
 */
async function readInputs(
  tx: ReadTransaction,
  dependencies: SpreadsheetDependencies,
  wanted: WantedRange,
): Promise<string | JsonStream | undefined> {
  const { opened, sheet } = wanted;
  const { workbook } = opened;
  const used = usedArea(wanted);
  if (!used) return '[]';
  try {
    const grid = await readGrid(tx, workbook.workspaceId, sheet, used, MOST_AT_ONCE);
    return cacheText(dependencies, wanted, grid.json());
  } catch (error) {
    if (!(error instanceof GridFull)) throw error;
    return dependencies.heldAnswers.hold(textOfInputs(tx, workbook.workspaceId, sheet, used));
  }
}
