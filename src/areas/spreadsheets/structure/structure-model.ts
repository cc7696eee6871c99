import { requireValues } from '../../../contract/required-values.ts';
import { refuse } from '../../../contract/validation.ts';
import { COLUMNS, ROWS } from '../cells/a1.ts';
import { insertLines, removeLines } from '../cells/axis.ts';
import { StructureOperation } from '../schema.ts';
import { isSameSheetName, newSheet, type Sheet, type Workbook } from '../workbook/workbook.ts';

/** Lines to be inserted or removed. */
export interface LineChange {
  readonly kind: 'insert' | 'remove';
  readonly axis: 'rows' | 'columns';
  /** The first line, from 0. */
  readonly at: number;
  readonly count: number;
}

/** A limit, because every write stores the metadata of all sheets. */
const MOST_SHEETS = 500;

type LineOperation = Extract<StructureOperation, { count: number }>;

/** The line change of an operation on rows or columns. */
export function lineChangeOf(operation: LineOperation): LineChange {
  requireValues(StructureOperation, operation);
  const { type, start, count } = operation;
  const isInsert = type === 'insert_rows' || type === 'insert_columns';
  const axis = type === 'insert_rows' || type === 'delete_rows' ? 'rows' : 'columns';
  return { kind: isInsert ? 'insert' : 'remove', axis, at: start - 1, count };
}

/** The sheet with new lines. Throws ApiError validation_failed if used cells would be pushed off the sheet. */
export function withLines(sheet: Sheet, { axis, at, count }: LineChange, pointer: string): Sheet {
  const used = sheet[axis];
  // Lines beyond all content and formats are alike: to insert one there changes nothing.
  if (at >= reachOf(sheet, axis)) return sheet;
  const size = axis === 'rows' ? ROWS : COLUMNS;
  if (at < used && used + count > size) {
    const message = `The sheet has ${size} ${axis} and ${used} are used: ${count} more would push cells off it.`;
    refuse([{ pointer, code: 'no_room', message }]);
  }
  const longer = (reach: number) => (at < reach ? Math.min(reach + count, size) : reach);
  const reached = withReach(sheet, axis, longer(used), longer);
  return axis === 'rows'
    ? { ...reached, rowAxis: insertLines(sheet.rowAxis, at, count) }
    : { ...reached, columnAxis: insertLines(sheet.columnAxis, at, count) };
}

/** How far the sheet has content or formats along an axis. */
function reachOf(sheet: Sheet, axis: LineChange['axis']): number {
  return Math.max(sheet[axis], sheet.formatted?.[axis] ?? 0);
}

/** The sheet with another used extent along an axis. `changed` maps the extent of the formats. */
function withReach(
  sheet: Sheet,
  axis: LineChange['axis'],
  used: number,
  changed: (reach: number) => number,
): Sheet {
  const { formatted } = sheet;
  const resized = { ...sheet, [axis]: used };
  return formatted ? { ...resized, formatted: { ...formatted, [axis]: changed(formatted[axis]) } } : resized;
}

/** The sheet without lines whose cells have been emptied already; `before` is the used extent before that. */
export function withoutLines(sheet: Sheet, { axis, at, count }: LineChange, before: number): Sheet {
  const reach = Math.max(before, reachOf(sheet, axis));
  if (at >= reach) return sheet;
  const gone = Math.min(count, reach - at);
  const shorter = (reached: number) => (reached > at ? Math.max(at, reached - gone) : reached);
  const reduced = withReach(sheet, axis, shorter(sheet[axis]), shorter);
  return axis === 'rows'
    ? { ...reduced, rowAxis: removeLines(sheet.rowAxis, at, gone) }
    : { ...reduced, columnAxis: removeLines(sheet.columnAxis, at, gone) };
}

/** Throws ApiError validation_failed if the name is taken or the maximum number of sheets is reached. */
export function withNewSheet(workbook: Workbook, name: string, pointer: string): Workbook {
  refuseTaken(workbook.sheets, name, `${pointer}/sheet`);
  if (workbook.sheets.length >= MOST_SHEETS) {
    const message = `A spreadsheet has at most ${MOST_SHEETS} sheets.`;
    refuse([{ pointer, code: 'too_many', message }]);
  }
  return { ...workbook, sheets: [...workbook.sheets, newSheet(name)] };
}

/** Throws ApiError validation_failed if another sheet has the name. */
export function withSheetRenamed(workbook: Workbook, sheet: Sheet, name: string, pointer: string): Workbook {
  const others = workbook.sheets.filter((other) => other.id !== sheet.id);
  refuseTaken(others, name, `${pointer}/name`);
  const sheets = workbook.sheets.map((other) => (other.id === sheet.id ? { ...sheet, name } : other));
  return { ...workbook, sheets };
}

/** Throws ApiError validation_failed for the last sheet. */
export function withoutSheet(workbook: Workbook, sheet: Sheet, pointer: string): Workbook {
  const sheets = workbook.sheets.filter((other) => other.id !== sheet.id);
  if (sheets.length === 0) {
    const message = 'The last sheet stays; add another one before.';
    refuse([{ pointer, code: 'last_sheet', message }]);
  }
  return { ...workbook, sheets };
}

function refuseTaken(sheets: readonly Sheet[], name: string, pointer: string): void {
  if (!sheets.some((sheet) => isSameSheetName(sheet.name, name))) return;
  const message = `The spreadsheet has a sheet "${name}" already; names differ in more than case.`;
  refuse([{ pointer, code: 'taken', message }]);
}
