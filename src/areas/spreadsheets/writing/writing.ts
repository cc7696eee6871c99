import { ApiError } from '../../../contract/errors.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { type A1Range, parseRange } from '../cells/a1.ts';
import { editsOf, requireCells, type Values, writtenRange } from '../cells/blocks-of-values.ts';
import { type CellEdit, type EditOutcome, editCells } from '../cells/cell-editing.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import type { BatchResult, WriteResult } from '../schema.ts';
import type { SheetBlock } from '../workbook/change-store.ts';
import {
  type OpenedSpreadsheet,
  openToWrite,
  saveChange,
  spreadsheetLock,
  stateToken,
} from '../workbook/saving.ts';
import { type Sheet, sheetNamed, type Workbook, withSheet } from '../workbook/workbook.ts';

/** Values for a range of a spreadsheet. */
export interface RangeValues {
  readonly range: string;
  readonly values: Values;
}

/** What one request writes to a spreadsheet: one range after the other, all or none. */
interface WriteRequest {
  readonly user: DriveOwner;
  /** The spreadsheet. */
  readonly id: string;
  readonly data: readonly RangeValues[];
}

/** A request that writes one range. */
export type RangeWrite = Omit<WriteRequest, 'data'> & RangeValues;

/** A block of values and the sheet that it goes to. */
export interface Entry {
  readonly sheet: Sheet;
  readonly range: A1Range;
  readonly values: Values;
}

/**
 * Writes a range for each of several requests to one spreadsheet, one after the other. Answers the result of each, or the
 * ApiError that it is refused with: not_found for the spreadsheet or the sheet, forbidden or trashed.
 */
export async function writeRanges(
  tx: WriteTransaction,
  parts: SpreadsheetDependencies,
  writes: readonly RangeWrite[],
): Promise<(WriteResult | ApiError)[]> {
  const requests = writes.map(({ user, id, range, values }) => ({ user, id, data: [{ range, values }] }));
  const outcomes = await carryOut(tx, parts, requests);
  return outcomes.map((outcome) => (isAdmitted(outcome) ? onlyResult(outcome) : outcome));
}

/** Writes one range after the other. Throws ApiError not_found for the spreadsheet or a sheet, forbidden or trashed. */
export async function writeBatch(
  tx: WriteTransaction,
  parts: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  data: readonly RangeValues[],
): Promise<BatchResult> {
  const [outcome] = await carryOut(tx, parts, [{ user, id, data }]);
  if (outcome instanceof ApiError) throw outcome;
  return outcome as BatchResult;
}

/** Writes an entry of an opened spreadsheet. */
export async function writeEntry(
  tx: WriteTransaction,
  parts: SpreadsheetDependencies,
  opened: OpenedSpreadsheet,
  entry: Entry,
): Promise<WriteResult> {
  const [result] = await writeEntries(tx, parts, opened, [[entry]]);
  return onlyResult(result as BatchResult);
}

/** The result of a request that writes one range. */
function onlyResult({ results, state, changed }: BatchResult): WriteResult {
  return { ...(results[0] as BatchResult['results'][number]), state, changed };
}

/**
 * Does what each of several requests to one spreadsheet asks for, one after the other, but looks everything up and stores
 * it once. Answers the result of each request, or the ApiError that it is refused with.
 */
async function carryOut(
  tx: WriteTransaction,
  parts: SpreadsheetDependencies,
  requests: readonly WriteRequest[],
): Promise<(BatchResult | ApiError)[]> {
  const openings = await openForEach(tx, parts, requests);
  const verdicts = requests.map((request) => entriesOf(request, openings.get(request.user.userId)));
  const opened = [...openings.values()].find(isAdmitted);
  const results = opened ? await writeEntries(tx, parts, opened, verdicts.filter(isAdmitted)) : [];
  return verdicts.map((verdict) => (isAdmitted(verdict) ? (results.shift() as BatchResult) : verdict));
}

type Opening = OpenedSpreadsheet | ApiError;

function isAdmitted<T>(verdict: T | ApiError): verdict is T {
  return !(verdict instanceof ApiError);
}

/**
 * By user; the workbook is the same one for all, so that what they write meets in the same sheets. The rights of each
 * are looked at for that spreadsheet, so no request may name another one.
 */
async function openForEach(
  tx: WriteTransaction,
  parts: SpreadsheetDependencies,
  requests: readonly WriteRequest[],
): Promise<Map<string, Opening>> {
  const spreadsheets = new Set(requests.map(({ user, id }) => spreadsheetLock(user, id)));
  if (spreadsheets.size > 1) throw new TypeError('The writes of one transaction name several spreadsheets');
  const openings = new Map<string, Opening>();
  let first: OpenedSpreadsheet | undefined;
  for (const { user, id } of requests) {
    if (openings.has(user.userId)) continue;
    const opening = await openToWrite(tx, parts, user, id).catch(refusalOf);
    if (isAdmitted(opening)) first ??= opening;
    openings.set(user.userId, isAdmitted(opening) ? (first ?? opening) : opening);
  }
  return openings;
}

function entriesOf({ data }: WriteRequest, opening: Opening | undefined): Entry[] | ApiError {
  if (!opening) throw new TypeError('Nobody has opened it');
  if (!isAdmitted(opening)) return opening;
  try {
    return data.map(({ range: text, values }) => {
      requireCells(values);
      const range = parseRange(text);
      return { range, values, sheet: sheetNamed(opening.workbook, range.sheet) };
    });
  } catch (error) {
    return refusalOf(error);
  }
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

/**
 * Changes the cells of an opened spreadsheet, and stores that where it makes a difference. Each request that changes
 * something leads to a state of its own, so that who compares states sees the edits of the others.
 */
async function writeEntries(
  tx: WriteTransaction,
  parts: SpreadsheetDependencies,
  opened: OpenedSpreadsheet,
  requests: readonly (readonly Entry[])[],
): Promise<BatchResult[]> {
  const { next, blocks, results } = await editEntries(tx, opened.workbook, requests.flat());
  const ofEach = requests.map((entries) => results.splice(0, entries.length));
  const isAlone = requests.length === 1;
  // The ranges of one request may undo each other, and then no block is stored. Blocks that are stored for several requests
  // do not tell which of them made the change: each that updates cells counts as one that does.
  const changed = ofEach.map((some) => (isAlone ? blocks.length > 0 : some.some(hasUpdates)));
  let changesLeft = changed.filter((isChange) => isChange).length;
  let { state } = opened;
  const last = changesLeft === 0 ? state : await saveChange(tx, parts, opened, next, blocks);
  return ofEach.map((results, i) => {
    const isChange = changed[i] === true;
    if (isChange) {
      changesLeft -= 1;
      state = changesLeft === 0 ? last : stateToken({ revision: `${last} ${changesLeft}` }, opened.title);
    }
    return { results, state, changed: isChange };
  });
}

function hasUpdates({ updated_cells }: BatchResult['results'][number]): boolean {
  return updated_cells > 0;
}

/** What entries have made of a workbook whose next version is not stored yet. */
interface EditedWorkbook {
  readonly next: Workbook;
  /** Empty when in the end everything is stored as it was. */
  readonly blocks: readonly SheetBlock[];
  /** One for each entry. */
  readonly results: BatchResult['results'];
}

/** Changes the cells of one entry after the other. */
async function editEntries(
  tx: WriteTransaction,
  workbook: Workbook,
  entries: readonly Entry[],
): Promise<EditedWorkbook> {
  const updated: number[] = [];
  const blocks: SheetBlock[] = [];
  let next = workbook;
  for (const [sheet, indexes] of bySheet(entries)) {
    const outcome = await editSheet(tx, workbook.workspaceId, sheet, indexes, entries);
    next = withSheet(next, outcome.sheet);
    blocks.push(...outcome.blocks);
    for (const [i, index] of indexes.entries()) updated[index] = outcome.updated[i] ?? 0;
  }
  const results = entries.map(({ sheet, range, values }, index) => ({
    range: writtenRange(sheet.name, range, values),
    updated_cells: updated[index] ?? 0,
  }));
  return { next, blocks, results };
}

async function editSheet(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  indexes: readonly number[],
  entries: readonly Entry[],
): Promise<EditOutcome> {
  const lists: CellEdit[][] = [];
  for (const index of indexes) {
    const entry = entries[index];
    lists.push(entry ? editsOf(entry.range, entry.values) : []);
    await giveWay();
  }
  return editCells(tx, workspaceId, sheet, lists);
}

/** Which entries go to each sheet. */
function bySheet(entries: readonly Entry[]): Map<Sheet, number[]> {
  const indexes = new Map<Sheet, number[]>();
  for (const [index, { sheet }] of entries.entries()) {
    indexes.set(sheet, [...(indexes.get(sheet) ?? []), index]);
  }
  return indexes;
}
