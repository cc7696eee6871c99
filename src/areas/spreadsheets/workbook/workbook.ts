import { randomBytes } from 'node:crypto';
import { ApiError } from '../../../contract/errors.ts';
import { columnNumber } from '../../../text/column-letters.ts';
import { fold } from '../../../text/fold.ts';
import { COLUMNS, ROWS } from '../cells/a1.ts';
import { type Axis, STRAIGHT } from '../cells/axis.ts';

/** Excel's limit, counted in UTF-16 units as in Excel. */
export const LONGEST_SHEET_NAME = 31;

/** Why a sheet cannot have this name, as a sentence that says what to do; undefined if it can. */
export function sheetNameProblem(name: string): string | undefined {
  if (name.length === 0 || name.length > LONGEST_SHEET_NAME) {
    return `The name of a sheet has 1 to ${LONGEST_SHEET_NAME} characters.`;
  }
  if (!name.isWellFormed()) return 'The name of a sheet has no half of a surrogate pair.';
  if (/[[\]:*?/\\\p{Cc}]/u.test(name))
    return 'The name of a sheet has none of [ ] : * ? / \\ or control characters.';
  if (name.startsWith("'") || name.endsWith("'")) {
    return 'The name of a sheet neither begins nor ends with an apostrophe.';
  }
  // Excel reserves the name and refuses workbooks that use it.
  if (fold(name) === 'history') return 'The name History is reserved; choose another one.';
  return undefined;
}

/** Names are unique without regard to case. */
export function isSameSheetName(one: string, other: string): boolean {
  return one === other || fold(one) === fold(other);
}

/** A sheet name as it is written before "!": with quotes if Excel needs them. */
export function quotedSheetName(name: string): string {
  return needsQuotes(name) ? `'${name.replaceAll("'", "''")}'` : name;
}

function needsQuotes(name: string): boolean {
  if (!/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name)) return true;
  return /^(?:true|false)$/i.test(name) || isCellName(name) || isRowColumnName(name);
}

function isCellName(name: string): boolean {
  const [, letters, digits] = /^([a-z]{1,3})([0-9]{1,7})$/i.exec(name) ?? [];
  if (letters === undefined) return false;
  return columnNumber(letters) < COLUMNS && Number(digits) >= 1 && Number(digits) <= ROWS;
}

/** R1C1 is the alternative reference style: R, C, R1, C1, R1C1 and names that begin like these. */
function isRowColumnName(name: string): boolean {
  return /^(?:r[0-9]*|c[0-9]*|r[0-9]*c[0-9]*)$/i.test(name);
}

/** One sheet. Its cells are stored under its id, at the positions that the axes define. */
export interface Sheet {
  /** Random: no other sheet of any spreadsheet ever has it. */
  readonly id: string;
  readonly name: string;
  /** The used extent: the last row and the last column that have content. */
  readonly rows: number;
  readonly columns: number;
  readonly formulas: number;
  /** Number of formulas whose value may change although no cell changes. */
  readonly volatiles: number;
  /**
   * Number of formulas that only quote a text, and so show it and spill nothing; absent if there never was one. Those that
   * were stored before they were counted may be missing.
   */
  readonly quotes?: number;
  /** The extent of number formats, including those of empty cells; absent if no cell ever got one. */
  readonly formatted?: { readonly rows: number; readonly columns: number };
  readonly rowAxis: Axis;
  readonly columnAxis: Axis;
  /** Counts the changes of its hidden rows, which are stored separately; absent if none was ever hidden. */
  readonly hiddenRows?: number;
  /** Counts the changes of its looks, which are stored separately; absent if it never had any. */
  readonly looks?: number;
  /** Absent if the sheet is shown. Spreadsheet programs do not offer to unhide a very hidden one. */
  readonly hidden?: 'hidden' | 'veryHidden';
}

/** Identifies a spreadsheet. */
export interface SpreadsheetKey {
  readonly workspaceId: string;
  readonly id: string;
}

/** A spreadsheet without its cells. */
export interface Workbook extends SpreadsheetKey {
  readonly version: number;
  readonly followedSince: number;
  readonly revision: string;
  readonly sheets: readonly Sheet[];
}

/** "the first is Sheet1" */
export const FIRST_SHEET_NAME = 'Sheet1';

export function newSheet(name: string): Sheet {
  return {
    id: randomBytes(12).toString('base64url'),
    name,
    rows: 0,
    columns: 0,
    formulas: 0,
    volatiles: 0,
    rowAxis: STRAIGHT,
    columnAxis: STRAIGHT,
  };
}

/** The sheet with a name; the first sheet if `name` is undefined. Throws ApiError not_found. */
export function sheetNamed<T extends Pick<Sheet, 'name'>>(
  { sheets }: { sheets: readonly T[] },
  name: string | undefined,
): T {
  const found = name === undefined ? sheets[0] : sheets.find((sheet) => isSameSheetName(sheet.name, name));
  if (found) return found;
  const message = `The spreadsheet has no sheet "${name}".`;
  throw new ApiError('not_found', message, { resource: 'sheet', id: name ?? '' });
}

/** The workbook with a changed sheet. */
export function withSheet(workbook: Workbook, sheet: Sheet): Workbook {
  return { ...workbook, sheets: workbook.sheets.map((other) => (other.id === sheet.id ? sheet : other)) };
}

/** Whether formulas of the sheet may show something in cells other than their own. */
export function maySpill({ formulas, quotes = 0 }: Sheet): boolean {
  return formulas > quotes;
}

export function hasFormulas({ sheets }: Pick<Workbook, 'sheets'>): boolean {
  return sheets.some(({ formulas }) => formulas > 0);
}

export function hasVolatiles({ sheets }: Pick<Workbook, 'sheets'>): boolean {
  return sheets.some(({ volatiles }) => volatiles > 0);
}
