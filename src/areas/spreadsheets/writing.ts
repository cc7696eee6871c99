import type { WriteTransaction } from '../../storage/database.ts';
import { Turns } from '../../turns/turns.ts';
import { type A1Range, parseRange } from './a1.ts';
import { editsOf, requireCells, type Values, writtenRange } from './blocks-of-values.ts';
import { type CellEdit, type EditOutcome, editCells } from './cell-editing.ts';
import type { SheetBlock } from './change-store.ts';
import { keepChange } from './keeping.ts';
import { type OpenedSpreadsheet, openToWrite } from './opening.ts';
import type { DriveOwner, SpreadsheetParts } from './parts.ts';
import type { BatchResult, WriteResult } from './schema.ts';
import { type Sheet, sheetNamed, type Workbook, withSheet } from './workbook.ts';

/** A block of values and the sheet that it goes to. */
export interface Entry {
  readonly sheet: Sheet;
  readonly range: A1Range;
  readonly values: Values;
}

/** Throws ApiError not_found for the spreadsheet or the sheet, forbidden or trashed. */
export async function writeRange(
  tx: WriteTransaction,
  parts: SpreadsheetParts,
  user: DriveOwner,
  id: string,
  range: string,
  values: Values,
): Promise<WriteResult> {
  return onlyResult(await writeBatch(tx, parts, user, id, [{ range, values }]));
}

/** Writes one range after the other. Throws ApiError not_found for the spreadsheet or a sheet, forbidden or trashed. */
export async function writeBatch(
  tx: WriteTransaction,
  parts: SpreadsheetParts,
  user: DriveOwner,
  id: string,
  data: readonly { range: string; values: Values }[],
): Promise<BatchResult> {
  for (const { values } of data) requireCells(values);
  const opened = await openToWrite(tx, parts, user, id);
  const entries = data.map(({ range: text, values }) => {
    const range = parseRange(text);
    return { range, values, sheet: sheetNamed(opened.workbook, range.sheet) };
  });
  return writeEntries(tx, parts, opened, entries);
}

/** The result of a batch of one. */
export function onlyResult({ results, state, changed }: BatchResult): WriteResult {
  return { ...(results[0] as BatchResult['results'][number]), state, changed };
}

/** Changes the cells of an opened spreadsheet, and stores that where it makes a difference. */
export async function writeEntries(
  tx: WriteTransaction,
  parts: SpreadsheetParts,
  opened: OpenedSpreadsheet,
  entries: readonly Entry[],
): Promise<BatchResult> {
  const { next, blocks, results } = await editEntries(tx, opened.workbook, entries);
  const changed = blocks.length > 0;
  const state = changed ? await keepChange(tx, parts, opened, next, blocks) : opened.state;
  return { results, state, changed };
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
export async function editEntries(
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
  const turns = new Turns();
  const lists: CellEdit[][] = [];
  for (const index of indexes) {
    const entry = entries[index];
    lists.push(entry ? editsOf(entry.range, entry.values) : []);
    await turns.next();
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
