import { ApiError } from '../../api/errors.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { parseRange } from './a1.ts';
import { requireCells, type Values } from './blocks-of-values.ts';
import { keepChange } from './keeping.ts';
import { type OpenedSpreadsheet, openToWrite, spreadsheetLock } from './opening.ts';
import type { DriveOwner, SpreadsheetParts } from './parts.ts';
import type { WriteResult } from './schema.ts';
import { stateToken } from './state-token.ts';
import { sheetNamed } from './workbook.ts';
import { type Entry, editEntries } from './writing.ts';

/** What one request asks for. */
export interface RangeWrite {
  readonly user: DriveOwner;
  /** The spreadsheet. */
  readonly id: string;
  readonly range: string;
  readonly values: Values;
}

/**
 * Does what `writeRange` does for each of several requests to one spreadsheet, one after the other, but looks everything
 * up and stores it once. Answers what each came to, or the ApiError that it is refused with: not_found for the
 * spreadsheet or the sheet, forbidden or trashed.
 */
export async function writeRanges(
  tx: WriteTransaction,
  parts: SpreadsheetParts,
  writes: readonly RangeWrite[],
): Promise<(WriteResult | ApiError)[]> {
  const openings = await openForEach(tx, parts, writes);
  const verdicts = writes.map((write) => entryOf(write, openings.get(write.user.userId)));
  const entries = verdicts.filter(isAdmitted);
  const opened = [...openings.values()].find(isAdmitted);
  const results = opened ? await writeEntries(tx, parts, opened, entries) : [];
  return verdicts.map((verdict) =>
    verdict instanceof ApiError ? verdict : (results.shift() as WriteResult),
  );
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
  parts: SpreadsheetParts,
  writes: readonly RangeWrite[],
): Promise<Map<string, Opening>> {
  const spreadsheets = new Set(writes.map(({ user, id }) => spreadsheetLock(user, id)));
  if (spreadsheets.size > 1) throw new TypeError('The writes of one transaction name several spreadsheets');
  const openings = new Map<string, Opening>();
  let first: OpenedSpreadsheet | undefined;
  for (const { user, id } of writes) {
    if (openings.has(user.userId)) continue;
    const opening = await openToWrite(tx, parts, user, id).catch(refusalOf);
    if (isAdmitted(opening)) first ??= opening;
    openings.set(user.userId, isAdmitted(opening) ? (first ?? opening) : opening);
  }
  return openings;
}

function entryOf({ range: text, values }: RangeWrite, opening: Opening | undefined): Entry | ApiError {
  if (!opening) throw new TypeError('Nobody has opened it');
  if (!isAdmitted(opening)) return opening;
  const range = parseRange(text);
  try {
    requireCells(values);
    return { range, values, sheet: sheetNamed(opening.workbook, range.sheet) };
  } catch (error) {
    return refusalOf(error);
  }
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

/** Each change leads to a state of its own, so that who compares states sees the edits of the others. */
async function writeEntries(
  tx: WriteTransaction,
  parts: SpreadsheetParts,
  opened: OpenedSpreadsheet,
  entries: readonly Entry[],
): Promise<WriteResult[]> {
  const { next, blocks, results } = await editEntries(tx, opened.workbook, entries);
  let changesLeft = results.filter(({ updated_cells }) => updated_cells > 0).length;
  if (changesLeft === 0) return results.map((result) => ({ ...result, state: opened.state, changed: false }));
  const last = await keepChange(tx, parts, opened, next, blocks);
  let { state } = opened;
  return results.map((result) => {
    const changed = result.updated_cells > 0;
    if (changed) {
      changesLeft -= 1;
      state = changesLeft === 0 ? last : stateToken({ revision: `${last} ${changesLeft}` }, opened.title);
    }
    return { ...result, state, changed };
  });
}
