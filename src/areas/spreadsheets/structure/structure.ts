import type { IncomingHttpHeaders } from 'node:http';
import { requireState } from '../../../contract/preconditions.ts';
import { requireValues } from '../../../contract/required-values.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { COLUMNS, type Rectangle, ROWS } from '../cells/a1.ts';
import { type CellEdit, editCells } from '../cells/cell-editing.ts';
import { moveReach } from '../cells/column-store.ts';
import { hiddenRowsOf, hideRows, moveHiddenRows } from '../cells/hidden-rows.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { encodedLooksOf, moveLooks, setLooks } from '../looks/looks.ts';
import { moveNames } from '../looks/names.ts';
import { usedCells } from '../reading/used-cells.ts';
import { StructureChange, type StructureOperation, type StructureResult } from '../schema.ts';
import { openToWrite, saveStructure } from '../workbook/open-and-save.ts';
import { putOrphanedSheets } from '../workbook/orphaned-sheets.ts';
import { newSheet, type Sheet, sheetNamed, type Workbook, withSheet } from '../workbook/workbook.ts';
import { formatCells, formattedCells } from '../writing/format-cells.ts';
import { copyRowKeys } from '../writing/row-keys.ts';
import { rewriteFormulas } from './reference-following.ts';
import type { Step } from './references.ts';
import {
  type LineChange,
  lineChangeOf,
  withLines,
  withNewSheet,
  withoutLines,
  withoutSheet,
  withSheetRenamed,
} from './structure-model.ts';

/**
 * Changes rows, columns and sheets, and the references of formulas with them, all or none. Throws ApiError not_found for the
 * spreadsheet or a sheet, forbidden, trashed, precondition_required, state_mismatch, or validation_failed for an
 * impossible change.
 */
export async function changeStructure(
  tx: WriteTransaction,
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  headers: IncomingHttpHeaders,
  operations: readonly StructureOperation[],
): Promise<StructureResult> {
  requireValues(StructureChange, { operations });
  const opened = await openToWrite(tx, dependencies, user, id);
  requireState(headers, opened.state);
  const steps: Step[] = [];
  let workbook = opened.workbook;
  for (const [index, operation] of operations.entries()) {
    const pointer = `/operations/${index}`;
    const applied = await apply(tx, workbook, operation, pointer);
    workbook = applied.workbook;
    if (applied.step) steps.push(applied.step);
  }
  const rewritten = await rewriteFormulas(tx, workbook, steps);
  workbook = await moveHiddenRows(tx, workbook, steps);
  workbook = await moveLooks(tx, workbook, steps);
  const hasMovedNames = await moveNames(tx, opened.workbook, workbook, steps);
  workbook = await straightenAxes(tx, workbook);
  const isSame =
    rewritten === 0 &&
    !hasMovedNames &&
    JSON.stringify(workbook.sheets) === JSON.stringify(opened.workbook.sheets);
  return { state: isSame ? opened.state : await saveStructure(tx, dependencies, opened, workbook) };
}

interface Applied {
  readonly workbook: Workbook;
  readonly step?: Step;
}

async function apply(
  tx: WriteTransaction,
  workbook: Workbook,
  operation: StructureOperation,
  pointer: string,
): Promise<Applied> {
  if (operation.type === 'add_sheet') {
    return { workbook: withNewSheet(workbook, operation.sheet, pointer) };
  }
  const sheet = sheetNamed(workbook, operation.sheet);
  if (operation.type === 'rename_sheet') {
    const { name } = operation;
    const step: Step = { kind: 'rename', sheet, name };
    return { workbook: withSheetRenamed(workbook, sheet, name, pointer), step };
  }
  if (operation.type === 'delete_sheet') {
    const left = withoutSheet(workbook, sheet, pointer);
    await putOrphanedSheets(tx, { workspaceId: workbook.workspaceId, sheet: sheet.id }, await tx.now());
    return { workbook: left, step: { kind: 'delete', sheet } };
  }
  const change = lineChangeOf(operation);
  const changed =
    change.kind === 'insert'
      ? withLines(sheet, change, pointer)
      : await removeLines(tx, workbook.workspaceId, sheet, change);
  if (change.axis === 'rows')
    await moveReach(tx, { workspaceId: workbook.workspaceId, sheet: sheet.id }, change);
  return { workbook: withSheet(workbook, changed), step: { ...change, sheet } };
}

/** Empties the lines, then removes them from the axis. */
async function removeLines(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  change: LineChange,
): Promise<Sheet> {
  let emptied = sheet;
  for await (const cells of usedCells(tx, workspaceId, sheet, areaOf(change))) {
    const edits: CellEdit[] = cells.map(({ row, column }) => ({ row, column, input: undefined }));
    emptied = (await editCells(tx, workspaceId, emptied, [edits])).sheet;
  }
  return withoutLines(emptied, change, sheet[change.axis]);
}

function areaOf({ axis, at, count }: LineChange): Rectangle {
  const last = at + count - 1;
  return axis === 'rows'
    ? { top: at, bottom: Math.min(last, ROWS - 1), left: 0, right: COLUMNS - 1 }
    : { top: 0, bottom: ROWS - 1, left: at, right: Math.min(last, COLUMNS - 1) };
}

/** Limit for the runs of an axis, because each makes every read and write of its sheet slower. */
const MOST_RUNS = 128;

/**
 * Copies each sheet whose axes have too many runs to a sheet with new axes. A copy takes time in proportion to the size
 * of the sheet, but is needed only after many changes at different lines.
 */
async function straightenAxes(tx: WriteTransaction, workbook: Workbook): Promise<Workbook> {
  const sheets: Sheet[] = [];
  for (const sheet of workbook.sheets) {
    const isInPieces = sheet.rowAxis.runs.length > MOST_RUNS || sheet.columnAxis.runs.length > MOST_RUNS;
    sheets.push(isInPieces ? await copySheet(tx, workbook.workspaceId, sheet) : sheet);
  }
  return { ...workbook, sheets };
}

async function copySheet(tx: WriteTransaction, workspaceId: string, sheet: Sheet): Promise<Sheet> {
  const { hidden } = sheet;
  let copy: Sheet = { ...newSheet(sheet.name), ...(hidden && { hidden }) };
  const whole = { top: 0, left: 0, bottom: ROWS - 1, right: COLUMNS - 1 };
  for await (const cells of usedCells(tx, workspaceId, sheet, whole)) {
    copy = (await editCells(tx, workspaceId, copy, [cells])).sheet;
  }
  for await (const cells of formattedCells(tx, workspaceId, sheet, whole)) {
    copy = (await formatCells(tx, workspaceId, copy, cells)).sheet;
  }
  const hiddenRows = await hiddenRowsOf(tx, { workspaceId }, sheet);
  if (hiddenRows) copy = await hideRows(tx, workspaceId, copy, hiddenRows);
  const looks = await encodedLooksOf(tx, { workspaceId }, sheet);
  if (looks !== undefined) copy = await setLooks(tx, workspaceId, copy, looks);
  await copyRowKeys(tx, workspaceId, sheet, copy);
  await putOrphanedSheets(tx, { workspaceId, sheet: sheet.id }, await tx.now());
  return copy;
}
