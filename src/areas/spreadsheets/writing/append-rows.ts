import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../../contract/errors.ts';
import { NotPrepared } from '../../../contract/operation.ts';
import { admitsState, stateMismatch } from '../../../contract/preconditions.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { refuse } from '../../../contract/validation.ts';
import type { ColumnSpan } from '../../../formulas/calculation.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { type A1Range, formatRange, parseColumns, ROWS } from '../cells/a1.ts';
import { checkFits, requireCells, sizeOf, type Values, writtenRange } from '../cells/blocks-of-values.ts';
import { usedRowsWithin } from '../cells/last-used-row.ts';
import { shownRowsOf } from '../cells/shown-extents.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { rowKeyProblems } from '../reading/range-problems.ts';
import { AppendedValues, type AppendResult, type Input } from '../schema.ts';
import { type OpenedSpreadsheet, openToWrite } from '../workbook/open-and-save.ts';
import { maySpill, quotedSheetName, type Sheet, sheetNamed, type Workbook } from '../workbook/workbook.ts';
import { findKeyedRow, insertKeyedRows, type KeyedRow } from './row-key-store.ts';
import { keyedRow, rangeOfKeyedRow } from './row-keys.ts';
import { requireInput, writeEntry } from './write-ranges.ts';

/** Rows to be appended to a sheet; to the first one if `sheet` is undefined. */
export interface Appending {
  readonly sheet?: string | undefined;
  readonly values: Values;
  /** How texts are taken; as entered if absent. */
  readonly input?: Input | undefined;
  /** Whole columns, such as A:E: the rows go below the last one that shows something there. */
  readonly columns?: string | undefined;
  /** The one row is appended once for this key. */
  readonly rowKey?: string | undefined;
  /** If-Match may name the state that is to be found. */
  readonly headers?: IncomingHttpHeaders;
}

/** How many rows of a sheet, or of columns of it, show something, computed before the transaction. */
export interface ShownRows {
  /** How often it was computed for this request. */
  readonly attempts: number;
  /** Absent if the calculation was stopped or the sheet could not be read: then only the used extent counts. */
  readonly found?: { readonly workbook: Workbook; readonly rows: number };
}

/** How often the extent is computed if other requests write meanwhile. */
const ATTEMPTS = 3;

/**
 * Writes below the last row that is used or that formulas spill into, or nothing where the row_key of the rows is known.
 * Throws as `writeBatch`, ApiError values_exceed_range, and NotPrepared if the formulas of this version have to be computed
 * first.
 */
export async function appendRows(
  tx: WriteTransaction,
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  given: Appending,
  shown: ShownRows | undefined,
): Promise<AppendResult> {
  const { values, input = 'entered', rowKey } = given;
  requireAppending(given);
  const opened = await openToWrite(tx, dependencies, user, id);
  const { workbook, state } = opened;
  const sheet = sheetNamed(workbook, given.sheet);
  if (!admitsState(given.headers ?? {}, state)) throw stateMismatch(state);
  const key = { workspaceId: workbook.workspaceId, sheet: sheet.id };
  const known = rowKey === undefined ? undefined : await findKeyedRow(tx, key, rowKey);
  if (known) return resultOfKnown(opened, sheet, known);
  const columns = given.columns === undefined ? undefined : parseColumns(given.columns);
  const rows = await occupiedRows(tx, workbook, sheet, columns, shown);
  if (rows === undefined)
    throw new NotPrepared(() => computeShown(dependencies, user, id, { sheet: given.sheet, columns }, shown));
  const anchor = anchorBelow(sheet, rows, columns, values);
  const result = await writeEntry(tx, dependencies, opened, { sheet, range: anchor, values, input });
  if (rowKey !== undefined) {
    const { top, left } = anchor.area;
    const right = left + sizeOf(values).columns - 1;
    await insertKeyedRows(tx, key, [keyedRow(sheet, rowKey, { top, bottom: top, left, right })]);
  }
  return result;
}

/** Throws ApiError validation_failed for values that no append takes, whoever calls. */
function requireAppending({ values, input = 'entered', columns, rowKey }: Appending): void {
  requireCells(values);
  requireInput(input);
  const { properties } = AppendedValues;
  if (columns !== undefined) requireValues(properties.columns, columns, '/columns');
  if (rowKey === undefined) return;
  requireValues(properties.row_key, rowKey, '/row_key');
  refuse(rowKeyProblems(values));
}

/** Nothing is written for a key that is known, whatever the values are: the answer says where its row is. */
function resultOfKnown({ state }: OpenedSpreadsheet, sheet: Sheet, row: KeyedRow): AppendResult {
  const stored = rangeOfKeyedRow(sheet, row);
  const range = stored ? formatRange(quotedSheetName(sheet.name), stored, 'block') : null;
  return { range, updated_cells: 0, state, changed: false };
}

/** The first cell of the rows. Throws ApiError values_exceed_range if they do not fit below, or into the columns. */
function anchorBelow(sheet: Sheet, rows: number, columns: ColumnSpan | undefined, values: Values): A1Range {
  const top = Math.min(rows, ROWS - 1);
  const left = columns?.left ?? 0;
  const anchor: A1Range = { sheet: sheet.name, form: 'cell', area: { top, left, bottom: top, right: left } };
  const asked = writtenRange(sheet.name, anchor, []);
  if (rows === ROWS && sizeOf(values).rows > 0) checkFits(FULL, values, asked);
  const room: A1Range = columns
    ? { ...anchor, form: 'block', area: { top, left, bottom: ROWS - 1, right: columns.right } }
    : anchor;
  checkFits(room, values, asked);
  return anchor;
}

/** The sheet has no room below its last row. */
const FULL: A1Range = { sheet: undefined, form: 'block', area: { top: 0, left: 0, bottom: -1, right: -1 } };

/**
 * Number of occupied rows, within some columns if they are named; undefined if it has to be computed. If other requests
 * write faster than it is computed, an earlier version counts, unless rows may have moved since: a write that was
 * committed meanwhile may spill further, and then counts as later than this one.
 */
async function occupiedRows(
  tx: WriteTransaction,
  workbook: Workbook,
  sheet: Sheet,
  columns: ColumnSpan | undefined,
  shown: ShownRows | undefined,
): Promise<number | undefined> {
  const used = () => (columns ? usedRowsWithin(tx, workbook.workspaceId, sheet, columns) : sheet.rows);
  if (!maySpill(sheet)) return used();
  if (shown === undefined) return undefined;
  const { found, attempts } = shown;
  if (found === undefined) return used();
  const isOfNow = found.workbook.revision === workbook.revision;
  if (!isOfNow && attempts < ATTEMPTS) return undefined;
  const isSameLayout = isOfNow || workbook.followedSince <= found.workbook.version;
  return isSameLayout ? Math.max(await used(), found.rows) : used();
}

/** Computes the shown rows. If that is refused, the write that follows reports why, or ignores spilled cells. */
async function computeShown(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  where: { sheet: string | undefined; columns: ColumnSpan | undefined },
  before: ShownRows | undefined,
): Promise<ShownRows> {
  const attempts = (before?.attempts ?? 0) + 1;
  try {
    return { attempts, found: await shownRowsOf(dependencies, user, id, where) };
  } catch (error) {
    if (error instanceof ApiError) return { attempts };
    throw error;
  }
}
