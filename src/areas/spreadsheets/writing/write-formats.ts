import type { IncomingHttpHeaders } from 'node:http';
import type { Problem } from '../../../contract/operation.ts';
import { admitsState, stateMismatch } from '../../../contract/preconditions.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { refuse } from '../../../contract/validation.ts';
import { formatProblem } from '../../../formulas/number-format/problem.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { type A1Range, parseRange } from '../cells/a1.ts';
import { checkFits, type Rows, writtenRange } from '../cells/blocks-of-values.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { NewFormats, type WriteResult } from '../schema.ts';
import { emitWritten, openToWrite, saveChange } from '../workbook/open-and-save.ts';
import { sheetNamed, withSheet } from '../workbook/workbook.ts';
import { type FormatEdit, formatCells } from './format-cells.ts';

/** Cells looked at without a yield. */
const EDITS_AT_ONCE = 4_096;

/** Number format codes as a client sends them; null takes the format of a cell away. */
export type Formats = Rows<string | null>;

/** Number formats for a range of a spreadsheet. */
export interface RangeFormats {
  readonly range: string;
  readonly formats: Formats;
  /** If-Match may name the state that is to be found. */
  readonly headers?: IncomingHttpHeaders;
}

/**
 * Rejects with ApiError validation_failed, which names all places, if a text is no number format code. Long lists of long
 * codes take longer than a transaction may last; it yields to the event loop.
 */
export async function checkFormats(formats: Formats): Promise<void> {
  const messages = new Map<string, string | undefined>();
  const problems: Problem[] = [];
  for (const [row, codes] of formats.entries()) {
    for (const [column, code] of codes.entries()) {
      if (code === null) continue;
      if (!messages.has(code)) {
        messages.set(code, formatProblem(code));
        await giveWay();
      }
      const message = messages.get(code);
      if (message) problems.push({ pointer: `/formats/${row}/${column}`, code: 'wrong_format', message });
    }
  }
  refuse(problems);
}

/**
 * Sets number formats from the top left corner of a range on, which have passed `checkFormats`. Throws ApiError
 * not_found for the spreadsheet or the sheet, forbidden, trashed, state_mismatch and values_exceed_range.
 */
export async function writeFormats(
  tx: WriteTransaction,
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  { range: text, formats, headers = {} }: RangeFormats,
): Promise<WriteResult> {
  requireValues(NewFormats.properties.formats, formats, '/formats');
  const range = parseRange(text);
  checkFits(range, formats, text);
  const opened = await openToWrite(tx, dependencies, user, id);
  const { workbook, state } = opened;
  const sheet = sheetNamed(workbook, range.sheet);
  if (!admitsState(headers, state)) throw stateMismatch(state);
  const edits = await editsOf(range, formats);
  const { sheet: next, updated } = await formatCells(tx, workbook.workspaceId, sheet, edits);
  const written = { range: writtenRange(sheet.name, range, formats), updated_cells: updated };
  if (updated === 0) return { ...written, state, changed: false };
  const seen = await dependencies.documents.holdSpreadsheet(tx, workbook);
  // No cell has changed, so calculations need nothing of this version.
  const saved = await saveChange(tx, dependencies, opened, withSheet(workbook, next), []);
  emitWritten(tx, seen, { state: saved, ranges: [written.range], actor: undefined });
  return { ...written, state: saved, changed: true };
}

async function editsOf({ area }: A1Range, formats: Formats): Promise<FormatEdit[]> {
  const edits: FormatEdit[] = [];
  for (const [row, codes] of formats.entries()) {
    for (const [column, code] of codes.entries()) {
      const format = code === null || isGeneral(code) ? undefined : code;
      edits.push({ row: area.top + row, column: area.left + column, format });
      if (edits.length % EDITS_AT_ONCE === 0) await giveWay();
    }
  }
  return edits;
}

/** General is what a cell without a format has. */
function isGeneral(code: string): boolean {
  return code.toLowerCase() === 'general';
}
