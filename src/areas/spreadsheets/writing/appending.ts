import { ApiError } from '../../../contract/errors.ts';
import { NotPrepared } from '../../../contract/operation.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { type A1Range, ROWS } from '../cells/a1.ts';
import { checkFits, requireCells, sizeOf, type Values, writtenRange } from '../cells/blocks-of-values.ts';
import { shownExtentOf } from '../cells/shown-extents.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import type { WriteResult } from '../schema.ts';
import { openToWrite } from '../workbook/saving.ts';
import { type Sheet, sheetNamed, type Workbook } from '../workbook/workbook.ts';
import { writeEntry } from './writing.ts';

/** Rows to be appended to a sheet; to the first one if `sheet` is undefined. */
export interface Appending {
  readonly sheet: string | undefined;
  readonly values: Values;
}

/** The shown extent of a sheet, computed before the transaction. */
export interface ShownRows {
  /** How often it was computed for this request. */
  readonly attempts: number;
  /** Absent if the calculation was stopped or the sheet could not be read: then only the used extent counts. */
  readonly found?: { readonly workbook: Workbook; readonly rows: number };
}

/** How often the extent is computed if other requests write meanwhile. */
const ATTEMPTS = 3;

/**
 * Writes below the last row that is used or that formulas spill into. Throws as `writeBatch`, ApiError
 * values_exceed_range, and NotPrepared if the formulas of this version have to be computed first.
 */
export async function appendRows(
  tx: WriteTransaction,
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  { sheet: name, values }: Appending,
  shown: ShownRows | undefined,
): Promise<WriteResult> {
  requireCells(values);
  const opened = await openToWrite(tx, dependencies, user, id);
  const sheet = sheetNamed(opened.workbook, name);
  const rows = occupiedRows(opened.workbook, sheet, shown);
  if (rows === undefined) throw new NotPrepared(() => computeShown(dependencies, user, id, name, shown));
  const top = Math.min(rows, ROWS - 1);
  const anchor: A1Range = { sheet: name, form: 'cell', area: { top, left: 0, bottom: top, right: 0 } };
  const asked = writtenRange(sheet.name, anchor, []);
  if (rows === ROWS && sizeOf(values).rows > 0) checkFits(FULL, values, asked);
  checkFits(anchor, values, asked);
  return writeEntry(tx, dependencies, opened, { sheet, range: anchor, values });
}

/** The sheet has no room below its last row. */
const FULL: A1Range = { sheet: undefined, form: 'block', area: { top: 0, left: 0, bottom: -1, right: -1 } };

/**
 * Number of occupied rows; undefined if it has to be computed. If other requests write faster than it is computed, an
 * earlier version counts, unless rows may have moved since: a write that was committed meanwhile may spill further, and
 * then counts as later than this one.
 */
function occupiedRows(workbook: Workbook, sheet: Sheet, shown: ShownRows | undefined): number | undefined {
  if (sheet.formulas === 0) return sheet.rows;
  if (shown === undefined) return undefined;
  const { found, attempts } = shown;
  if (found === undefined) return sheet.rows;
  const isOfNow = found.workbook.revision === workbook.revision;
  if (!isOfNow && attempts < ATTEMPTS) return undefined;
  const isSameLayout = isOfNow || workbook.followedSince <= found.workbook.version;
  return isSameLayout ? Math.max(sheet.rows, found.rows) : sheet.rows;
}

/** Computes the shown extent. If that is refused, the write that follows reports why, or ignores spilled cells. */
async function computeShown(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  sheet: string | undefined,
  before: ShownRows | undefined,
): Promise<ShownRows> {
  const attempts = (before?.attempts ?? 0) + 1;
  try {
    return { attempts, found: await shownExtentOf(dependencies, user, id, sheet) };
  } catch (error) {
    if (error instanceof ApiError) return { attempts };
    throw error;
  }
}
