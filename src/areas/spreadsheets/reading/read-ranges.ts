import { JsonStream, JsonText } from '../../../contract/answers.ts';
import { requireParameter } from '../../../contract/required-values.ts';
import { stagedText } from '../../../contract/staged-text.ts';
import type { Extent } from '../../../formulas/calculation.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { type A1Range, formatRange, parseRange } from '../cells/a1.ts';
import { shownExtents } from '../cells/shown-extents.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { findImportNotes } from '../looks/import-notes-store.ts';
import { ReadQuery, type Spreadsheet } from '../schema.ts';
import { whileHeld } from '../workbook/held-workbooks.ts';
import { type OpenedSpreadsheet, openToRead } from '../workbook/open-and-save.ts';
import { withOpened } from '../workbook/snapshot-reading.ts';
import { hasFormulas, hasVolatiles, quotedSheetName, type Workbook } from '../workbook/workbook.ts';
import { makeInTransaction } from './large-answers.ts';
import {
  cachedText,
  calculatedText,
  isVolatile,
  largeText,
  storedText,
  type WantedRange,
  type Wish,
  wantedRange,
} from './range-text.ts';

/** Whether a reader wants the values of formulas, the formulas, or what cells show by their number formats. */
export type Render = 'value' | 'formula' | 'formatted';

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
 * A spreadsheet and the shown extent of each of its sheets, read in transactions of its own; without data if `isKnown` says
 * that the client has this state. Rejects with ApiError not_found or forbidden, and with the errors of `isKnown`.
 */
export async function getSpreadsheet(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  isKnown: IsKnown,
): Promise<ReadAnswer<Spreadsheet>> {
  const { seen, known, notes } = await dependencies.database.read(async (tx) => {
    const seen = await openToRead(tx, dependencies, user, id);
    const known = knownOutline(seen, isKnown);
    return { seen, known, notes: known ? [] : await findImportNotes(tx, seen.workbook) };
  });
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
  return { state, data: { id, title, state, sheets, import_notes: notes } };
}

const NOTHING: Extent = { rows: 0, columns: 0 };

function knownOutline(
  { state, workbook }: OpenedSpreadsheet,
  isKnown: IsKnown,
): ReadAnswer<Spreadsheet> | undefined {
  return isKnown(state) && !hasVolatiles(workbook) ? { state, data: undefined } : undefined;
}

/**
 * The cells of a range, read in transactions of their own; without data if `isKnown` says that the client has this state.
 * Inputs, and values cached for this version, need only one short transaction. Rejects with ApiError not_found for the
 * spreadsheet or the sheet, forbidden, validation_failed for too many cells, and with the errors of `isKnown`.
 */
export function readRange(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  { range, render }: { range: string; render: Render },
  isKnown: IsKnown,
): Promise<ReadAnswer> {
  requireParameter(ReadQuery.properties.render, render, 'render');
  return readWish(dependencies, user, id, { range: parseRange(range), wish: render }, isKnown);
}

/** The number formats of a range, read as `readRange` reads cells. Rejects as that. */
export function readFormats(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  range: string,
  isKnown: IsKnown,
): Promise<ReadAnswer> {
  return readWish(dependencies, user, id, { range: parseRange(range), wish: 'formats' }, isKnown);
}

interface RangeWish {
  readonly range: A1Range;
  readonly wish: Wish;
}

async function readWish(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  { range, wish }: RangeWish,
  isKnown: IsKnown,
): Promise<ReadAnswer> {
  const inTransaction = (work: (tx: ReadTransaction) => Promise<Read>) => dependencies.database.read(work);
  const answer = await makeInTransaction(inTransaction, heldStream, async (tx) => {
    const wanted = wantedRange(await openToRead(tx, dependencies, user, id), range, wish);
    const known = knownAnswer(wanted, isKnown);
    if (known) return known;
    const cached = cachedText(dependencies, wanted);
    if (cached !== undefined) return rangeAnswer(wanted, cached);
    if (wanted.isCalculated) return { seen: wanted.opened.workbook };
    const text = await storedText(tx, dependencies, wanted);
    return text === undefined ? undefined : rangeAnswer(wanted, text);
  });
  const read =
    answer && 'seen' in answer
      ? readCalculated(dependencies, user, answer.seen, { range, wish }, isKnown)
      : answer;
  return (await read) ?? readLarge(dependencies, user, id, { range, wish }, isKnown);
}

/** Result of the first read: an answer; a version that has to be calculated; or undefined if the text is too large to hold. */
type Read = ReadAnswer | { readonly seen: Workbook } | undefined;

function heldStream(read: Read): JsonStream | undefined {
  return read && 'data' in read && read.data instanceof JsonStream ? read.data : undefined;
}

/** Undefined if the text is too large to hold in memory, or another request has written in between. */
function readCalculated(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  seen: Workbook,
  { range, wish }: RangeWish,
  isKnown: IsKnown,
): Promise<ReadAnswer | undefined> {
  return whileHeld(dependencies, user, seen, async (opened) => {
    const wanted = wantedRange(opened, range, wish);
    // Another request may have written since the first check.
    const known = knownAnswer(wanted, isKnown);
    if (known) return known;
    const text = await calculatedText(dependencies, user, wanted);
    return text === undefined ? undefined : rangeAnswer(wanted, text);
  });
}

/** Writes the whole answer to a staged file before it is sent, under the limit for reads of much of a spreadsheet. */
function readLarge(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  { range, wish }: RangeWish,
  isKnown: IsKnown,
): Promise<ReadAnswer> {
  const isCalculated = wish === 'value' || wish === 'formatted';
  const inTransaction = (work: (tx: ReadTransaction, opened: OpenedSpreadsheet) => Promise<ReadAnswer>) =>
    withOpened(dependencies, user, id, { isCalculated }, work);
  return makeInTransaction(inTransaction, heldStream, async (tx, opened) => {
    const wanted = wantedRange(opened, range, wish);
    const known = knownAnswer(wanted, isKnown);
    if (known) return known;
    const text = await largeText(tx, dependencies, wanted);
    return rangeAnswer(wanted, await stagedText(dependencies.staging, text));
  });
}

/** An answer without data if the client has the state already. Throws as `isKnown`, also for volatile formulas. */
function knownAnswer(wanted: WantedRange, isKnown: IsKnown): ReadAnswer | undefined {
  const { state } = wanted.opened;
  return isKnown(state) && !isVolatile(wanted) ? { state, data: undefined } : undefined;
}

function rangeAnswer(
  { opened, sheet, range: { area, form }, aspect }: WantedRange,
  text: string | JsonStream,
): ReadAnswer {
  const { state } = opened;
  const range = JSON.stringify(formatRange(quotedSheetName(sheet.name), area, form));
  const member = aspect === 'formats' ? 'formats' : 'values';
  const [start, end] = [`{"range":${range},"${member}":`, `,"state":"${state}"}`];
  if (text instanceof JsonStream) return { state, data: text.within(start, end) };
  return { state, data: new JsonText(`${start}${text}${end}`) };
}
