import type { WriteTransaction } from '../../../storage/database.ts';
import { COLUMNS, ROWS } from '../cells/a1.ts';
import { editCells } from '../cells/cell-editing.ts';
import { hiddenRowsOf, hideRows } from '../cells/hidden-rows.ts';
import { usedCells } from '../reading/cells-reading.ts';
import { putRemains } from '../workbook/remains-store.ts';
import { newSheet, type Sheet, type Workbook } from '../workbook/workbook.ts';
import { formatCells, formattedCells } from '../writing/formatting.ts';

/** An axis in more pieces makes every read and write of its sheet dearer. */
const MOST_RUNS = 128;

/**
 * Copies the sheets whose axes have become pieces to where places are numbers again. It takes as long as the sheet is
 * large, but only after so many changes at different lines that it is little for each of them.
 */
export async function straightened(tx: WriteTransaction, workbook: Workbook): Promise<Workbook> {
  const sheets: Sheet[] = [];
  for (const sheet of workbook.sheets) {
    const isInPieces = sheet.rowAxis.runs.length > MOST_RUNS || sheet.columnAxis.runs.length > MOST_RUNS;
    sheets.push(isInPieces ? await copied(tx, workbook.workspaceId, sheet) : sheet);
  }
  return { ...workbook, sheets };
}

async function copied(tx: WriteTransaction, workspaceId: string, sheet: Sheet): Promise<Sheet> {
  const { hidden } = sheet;
  let copy: Sheet = { ...newSheet(sheet.name), ...(hidden && { hidden }) };
  const whole = { top: 0, left: 0, bottom: ROWS - 1, right: COLUMNS - 1 };
  for await (const cells of usedCells(tx, workspaceId, sheet, whole)) {
    copy = (await editCells(tx, workspaceId, copy, [cells])).sheet;
  }
  for await (const cells of formattedCells(tx, workspaceId, sheet, whole)) {
    copy = await formatCells(tx, workspaceId, copy, cells);
  }
  const hiddenRows = await hiddenRowsOf(tx, { workspaceId }, sheet);
  if (hiddenRows) copy = await hideRows(tx, workspaceId, copy, hiddenRows);
  await putRemains(tx, { workspaceId, sheet: sheet.id }, await tx.now());
  return copy;
}
