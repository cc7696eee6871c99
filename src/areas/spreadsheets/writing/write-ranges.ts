import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../../contract/errors.ts';
import { admitsState, stateMismatch } from '../../../contract/preconditions.ts';
import { requireValues } from '../../../contract/required-values.ts';
import type { Actor, WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { type A1Range, parseRange } from '../cells/a1.ts';
import { editsOf, requireCells, type Values, writtenRange } from '../cells/blocks-of-values.ts';
import { type CellEdit, type EditResult, editCells } from '../cells/cell-editing.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { type BatchResult, type Input, NewValues, type WriteResult } from '../schema.ts';
import type { SheetBlock } from '../workbook/change-store.ts';
import {
  emitWritten,
  type OpenedSpreadsheet,
  openToWrite,
  saveChange,
  spreadsheetLock,
  stateToken,
} from '../workbook/open-and-save.ts';
import { type Sheet, sheetNamed, type Workbook, withSheet } from '../workbook/workbook.ts';
import { showDates } from './date-formats.ts';

/** Values for a range of a spreadsheet. */
export interface RangeValues {
  readonly range: string;
  readonly values: Values;
}

/** What one request writes to a spreadsheet: ranges in order, all or none. */
interface WriteRequest {
  readonly user: DriveOwner;
  /** The spreadsheet. */
  readonly id: string;
  readonly data: readonly RangeValues[];
  /** How texts are taken; as entered if absent. */
  readonly input?: Input | undefined;
  /** If-Match may name the state that is to be found. */
  readonly headers?: IncomingHttpHeaders;
  /** Who the change is reported of; undefined if the transaction has one for all its requests. */
  readonly actor: Actor | undefined;
}

/** A request that writes one range. */
export type RangeWrite = Omit<WriteRequest, 'data'> & RangeValues;

/** A request that is admitted. */
interface AdmittedRequest {
  readonly entries: readonly Entry[];
  readonly actor: Actor | undefined;
}

/** A block of values and its target sheet. */
export interface Entry {
  readonly sheet: Sheet;
  readonly range: A1Range;
  readonly values: Values;
  readonly input: Input;
}

/**
 * Writes one range for each of several requests to one spreadsheet, in order. `openings` are those of all users by
 * `openPerUser`, and nothing was written since. Returns for each request its result, or the ApiError that refuses it:
 * not_found for the spreadsheet or the sheet, forbidden, trashed or state_mismatch.
 */
export async function writeRanges(
  tx: WriteTransaction,
  dependencies: SpreadsheetDependencies,
  writes: readonly RangeWrite[],
  openings: Openings,
): Promise<(WriteResult | ApiError)[]> {
  const requests = writes.map(({ range, values, ...request }) => ({ ...request, data: [{ range, values }] }));
  const results: (BatchResult | ApiError)[] = [];
  let opened: Openings | undefined = openings;
  for (const some of upToConditions(requests)) {
    opened ??= await openPerUser(tx, dependencies, some);
    results.push(...(await carryOut(tx, dependencies, some, opened)));
    // What was written has made another version.
    opened = undefined;
  }
  return results.map((result) => (isAdmitted(result) ? onlyResult(result) : result));
}

/**
 * Splits requests before each one that names a state: what precedes it is saved first, so that it finds the state which
 * it is compared with.
 */
function upToConditions(requests: readonly WriteRequest[]): WriteRequest[][] {
  const runs: WriteRequest[][] = [];
  for (const request of requests) {
    const last = runs.at(-1);
    if (last && request.headers?.['if-match'] === undefined) last.push(request);
    else runs.push([request]);
  }
  return runs;
}

/**
 * Writes ranges in order, all or none. Throws ApiError not_found for the spreadsheet or a sheet, forbidden, trashed, or
 * state_mismatch if If-Match names another state.
 */
export async function writeBatch(
  tx: WriteTransaction,
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  data: readonly RangeValues[],
  { input, headers = {} }: { input?: Input | undefined; headers?: IncomingHttpHeaders } = {},
): Promise<BatchResult> {
  const request = { user, id, data, input, headers, actor: undefined };
  const openings = await openPerUser(tx, dependencies, [request]);
  const [result] = await carryOut(tx, dependencies, [request], openings);
  if (result instanceof ApiError) throw result;
  return result as BatchResult;
}

/** Writes one entry to an opened spreadsheet. */
export async function writeEntry(
  tx: WriteTransaction,
  dependencies: SpreadsheetDependencies,
  opened: OpenedSpreadsheet,
  entry: Entry,
): Promise<WriteResult> {
  const [result] = await writeEntries(tx, dependencies, opened, [{ entries: [entry], actor: undefined }]);
  return onlyResult(result as BatchResult);
}

/** The result of a request that writes one range. */
function onlyResult({ results, state, changed }: BatchResult): WriteResult {
  return { ...(results[0] as BatchResult['results'][number]), state, changed };
}

/**
 * Carries out several requests to one spreadsheet in order, but saves it only once. Returns for each request its result,
 * or the ApiError that refuses it.
 */
async function carryOut(
  tx: WriteTransaction,
  dependencies: SpreadsheetDependencies,
  requests: readonly WriteRequest[],
  openings: Openings,
): Promise<(BatchResult | ApiError)[]> {
  const verdicts = requests.map((request) => entriesOf(request, openings.get(request.user.userId)));
  const opened = [...openings.values()].find(isAdmitted);
  const admitted = verdicts.filter(isAdmitted);
  const results = opened && admitted.length > 0 ? await writeEntries(tx, dependencies, opened, admitted) : [];
  return verdicts.map((verdict) => (isAdmitted(verdict) ? (results.shift() as BatchResult) : verdict));
}

type Opening = OpenedSpreadsheet | ApiError;
/** By the id of the user, a spreadsheet as that user may write to it, or the refusal. */
type Openings = ReadonlyMap<string, Opening>;

function isAdmitted<T>(verdict: T | ApiError): verdict is T {
  return !(verdict instanceof ApiError);
}

/**
 * Opens the spreadsheet for each user. All users share one workbook object, so that their edits apply to the same
 * sheets. Access is checked for one spreadsheet only, so all requests must name the same one.
 */
export async function openPerUser(
  tx: WriteTransaction,
  dependencies: SpreadsheetDependencies,
  requests: readonly Pick<WriteRequest, 'user' | 'id'>[],
): Promise<Openings> {
  const spreadsheets = new Set(requests.map(({ user, id }) => spreadsheetLock(user, id).scope));
  if (spreadsheets.size > 1) throw new TypeError('The writes of one transaction name several spreadsheets');
  const openings = new Map<string, Opening>();
  let first: OpenedSpreadsheet | undefined;
  for (const { user, id } of requests) {
    if (openings.has(user.userId)) continue;
    const opening = await openToWrite(tx, dependencies, user, id).catch(refusalOf);
    if (isAdmitted(opening)) first ??= opening;
    openings.set(user.userId, isAdmitted(opening) ? (first ?? opening) : opening);
  }
  return openings;
}

function entriesOf(
  { data, input = 'entered', actor, headers = {} }: WriteRequest,
  opening: Opening | undefined,
): AdmittedRequest | ApiError {
  if (!opening) throw new TypeError('Nobody has opened it');
  if (!isAdmitted(opening)) return opening;
  if (!admitsState(headers, opening.state)) return stateMismatch(opening.state);
  try {
    requireInput(input);
    const entries = data.map(({ range: text, values }) => {
      requireCells(values);
      const range = parseRange(text);
      return { range, values, input, sheet: sheetNamed(opening.workbook, range.sheet) };
    });
    return { entries, actor };
  } catch (error) {
    return refusalOf(error);
  }
}

/** Throws ApiError validation_failed for another word. */
export function requireInput(input: Input): void {
  requireValues(NewValues.properties.input, input, '/input');
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

/**
 * Edits the cells of an opened spreadsheet and saves it if something changed. Each request that changes something gets
 * its own state, so that a client that compares states notices the edits of others, and is reported by itself.
 */
async function writeEntries(
  tx: WriteTransaction,
  dependencies: SpreadsheetDependencies,
  opened: OpenedSpreadsheet,
  requests: readonly AdmittedRequest[],
): Promise<BatchResult[]> {
  const entries = requests.flatMap(({ entries }) => entries);
  const hold = () => dependencies.documents.holdSpreadsheet(tx, opened.workbook);
  // Who sees it is looked up before it is known whether anything changes: the answer comes with the blocks.
  const [seenAtFirst, { next, blocks, hasNewFormats, results }] = await Promise.all([
    hold(),
    editEntries(tx, opened.workbook, entries),
  ]);
  // A long write asks again: it may have been shared meanwhile, or taken away.
  const seen = blocks.length > 1 ? await hold() : seenAtFirst;
  const resultsPerRequest = requests.map(({ entries }) => results.splice(0, entries.length));
  const isAlone = requests.length === 1;
  // The ranges of one request may cancel each other out; then no block is stored. For several requests, the stored
  // blocks do not show which request changed them: each request with updated cells counts as a change.
  const isChanged = blocks.length > 0 || hasNewFormats;
  const changed = resultsPerRequest.map((some) => (isAlone ? isChanged : some.some(hasUpdates)));
  let changesLeft = changed.filter((isChange) => isChange).length;
  let { state } = opened;
  const saved = changesLeft === 0 ? undefined : await saveChange(tx, dependencies, opened, next, blocks);
  return resultsPerRequest.map((results, i) => {
    const isChange = changed[i] === true;
    if (isChange && saved !== undefined) {
      changesLeft -= 1;
      state = changesLeft === 0 ? saved : stateToken({ revision: `${saved} ${changesLeft}` }, opened.title);
      const ranges = results.filter(hasUpdates).map(({ range }) => range);
      emitWritten(tx, seen, { state, ranges, actor: requests[i]?.actor });
    }
    return { results, state, changed: isChange };
  });
}

function hasUpdates({ updated_cells }: BatchResult['results'][number]): boolean {
  return updated_cells > 0;
}

/** A workbook with edited cells whose new version is not stored yet. */
interface EditedWorkbook {
  readonly next: Workbook;
  /** The changed blocks; empty if all edits together change nothing. */
  readonly blocks: readonly SheetBlock[];
  /** Whether dates have changed number formats. */
  readonly hasNewFormats: boolean;
  /** One result for each entry. */
  readonly results: BatchResult['results'];
}

/** Edits the cells of the entries in order. */
async function editEntries(
  tx: WriteTransaction,
  workbook: Workbook,
  entries: readonly Entry[],
): Promise<EditedWorkbook> {
  const updated: number[] = [];
  const blocks: SheetBlock[] = [];
  let next = workbook;
  let hasNewFormats = false;
  for (const [sheet, indexes] of groupBySheet(entries)) {
    const result = await editSheet(tx, workbook.workspaceId, sheet, indexes, entries);
    next = withSheet(next, result.sheet);
    blocks.push(...result.blocks);
    hasNewFormats ||= result.hasNewFormats;
    for (const [i, index] of indexes.entries()) updated[index] = result.updated[i] ?? 0;
  }
  const results = entries.map(({ sheet, range, values }, index) => ({
    range: writtenRange(sheet.name, range, values),
    updated_cells: updated[index] ?? 0,
  }));
  return { next, blocks, hasNewFormats, results };
}

async function editSheet(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  indexes: readonly number[],
  entries: readonly Entry[],
): Promise<EditResult & { readonly hasNewFormats: boolean }> {
  const lists: CellEdit[][] = [];
  for (const index of indexes) {
    const entry = entries[index];
    lists.push(entry ? editsOf(entry.range, entry.values, entry.input) : []);
    await giveWay();
  }
  const { sheet: formatted, reformatted } = await showDates(tx, workspaceId, sheet, lists);
  const edited = await editCells(tx, workspaceId, formatted, lists, reformatted);
  return { ...edited, hasNewFormats: reformatted.size > 0 };
}

/** The indexes of the entries, by sheet. */
function groupBySheet(entries: readonly Entry[]): Map<Sheet, number[]> {
  const indexes = new Map<Sheet, number[]>();
  for (const [index, { sheet }] of entries.entries()) {
    indexes.set(sheet, [...(indexes.get(sheet) ?? []), index]);
  }
  return indexes;
}
