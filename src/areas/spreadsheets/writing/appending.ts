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

/** Rows that are to stand below all others of a sheet, the first where none is named. */
export interface Appending {
  readonly sheet: string | undefined;
  readonly values: Values;
}

/** How far a sheet shows something, as it was computed before the transaction. */
export interface ShownRows {
  /** How often that was computed for this request. */
  readonly attempts: number;
  /** Absent where it takes too long to compute, or could not be read: then only what is used counts. */
  readonly found?: { readonly workbook: Workbook; readonly rows: number };
}

/** How often it is computed where somebody else writes meanwhile. */
const ATTEMPTS = 3;

/**
 * Writes below the last row that is used, or that formulas spill into. Throws as `writeBatch`, ApiError
 * values_exceed_range, and NotPrepared where formulas have to be computed first, of this version.
 */
export async function appendRows(
  tx: WriteTransaction,
  parts: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  { sheet: name, values }: Appending,
  shown: ShownRows | undefined,
): Promise<WriteResult> {
  requireCells(values);
  const opened = await openToWrite(tx, parts, user, id);
  const sheet = sheetNamed(opened.workbook, name);
  const rows = takenRows(opened.workbook, sheet, shown);
  if (rows === undefined) throw new NotPrepared(() => computeShown(parts, user, id, name, shown));
  const top = Math.min(rows, ROWS - 1);
  const anchor: A1Range = { sheet: name, form: 'cell', area: { top, left: 0, bottom: top, right: 0 } };
  const asked = writtenRange(sheet.name, anchor, []);
  if (rows === ROWS && sizeOf(values).rows > 0) checkFits(FULL, values, asked);
  checkFits(anchor, values, asked);
  return writeEntry(tx, parts, opened, { sheet, range: anchor, values });
}

/** Below the last row of a sheet is no room. */
const FULL: A1Range = { sheet: undefined, form: 'block', area: { top: 0, left: 0, bottom: -1, right: -1 } };

/**
 * How many rows are taken; undefined where that has to be computed. Where others write faster than it is computed, an
 * earlier version counts, unless rows may have moved since: what was written meanwhile may spill further, and then that
 * write came after this one.
 */
function takenRows(workbook: Workbook, sheet: Sheet, shown: ShownRows | undefined): number | undefined {
  if (sheet.formulas === 0) return sheet.rows;
  if (shown === undefined) return undefined;
  const { found, attempts } = shown;
  if (found === undefined) return sheet.rows;
  const isOfNow = found.workbook.revision === workbook.revision;
  if (!isOfNow && attempts < ATTEMPTS) return undefined;
  const hasPlaces = isOfNow || workbook.followedSince <= found.workbook.version;
  return hasPlaces ? Math.max(sheet.rows, found.rows) : sheet.rows;
}

/** Computes what a sheet shows. Where that is refused, the write that follows tells why, or does without. */
async function computeShown(
  parts: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  sheet: string | undefined,
  before: ShownRows | undefined,
): Promise<ShownRows> {
  const attempts = (before?.attempts ?? 0) + 1;
  try {
    return { attempts, found: await shownExtentOf(parts, user, id, sheet) };
  } catch (error) {
    if (error instanceof ApiError) return { attempts };
    throw error;
  }
}
