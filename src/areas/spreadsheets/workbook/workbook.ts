import { randomBytes } from 'node:crypto';
import { ApiError } from '../../../contract/errors.ts';
import { columnNumber } from '../../../text/column-letters.ts';
import { fold } from '../../../text/fold.ts';
import { COLUMNS, ROWS } from '../cells/a1.ts';
import { type Axis, STRAIGHT } from '../cells/axis.ts';

/** As in Excel; counted in UTF-16 units, as Excel does. */
export const LONGEST_SHEET_NAME = 31;

/** Why a name cannot be that of a sheet, in a sentence that says what to do; undefined when it can. */
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
  // Excel keeps it for itself, and refuses workbooks that have it.
  if (fold(name) === 'history') return 'The name History is reserved; choose another one.';
  return undefined;
}

/** Names are unique without regard to case. */
export function isSameSheetName(one: string, other: string): boolean {
  return one === other || fold(one) === fold(other);
}

/** A name as it is written before "!": in quotes where Excel needs them. */
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

/** R1C1 is the other way to write references: R, C, R1, C1, R1C1 and what begins like them. */
function isRowColumnName(name: string): boolean {
  return /^(?:r[0-9]*|c[0-9]*|r[0-9]*c[0-9]*)$/i.test(name);
}

/** One sheet. Its cells are stored under its id, at the places that the axes say. */
export interface Sheet {
  /** Random: no other sheet, of whatever spreadsheet, ever has it. */
  readonly id: string;
  readonly name: string;
  /** The used extent: the last row, and the last column, that hold something. */
  readonly rows: number;
  readonly columns: number;
  readonly formulas: number;
  /** How many of the formulas show something else at another time. */
  readonly volatiles: number;
  /** How far number formats reach, of empty cells too; absent where no cell was ever given one. */
  readonly formatted?: { readonly rows: number; readonly columns: number };
  readonly rowAxis: Axis;
  readonly columnAxis: Axis;
  /** Counts the changes of its hidden rows, which are stored beside it; absent where none was ever hidden. */
  readonly hiddenRows?: number;
  /** Absent where the sheet is shown; a very hidden one is not offered to people either. */
  readonly hidden?: 'hidden' | 'veryHidden';
}

/** Which spreadsheet. */
export interface SpreadsheetKey {
  readonly workspaceId: string;
  readonly id: string;
}

/** A spreadsheet but for its cells. */
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

/** The sheet of a name, the first where none is named. Throws ApiError not_found. */
export function sheetNamed<T extends Pick<Sheet, 'name'>>(
  { sheets }: { sheets: readonly T[] },
  name: string | undefined,
): T {
  const found = name === undefined ? sheets[0] : sheets.find((sheet) => isSameSheetName(sheet.name, name));
  if (found) return found;
  const message = `The spreadsheet has no sheet "${name}".`;
  throw new ApiError('not_found', message, { resource: 'sheet', id: name ?? '' });
}

/** The workbook with another state of one of its sheets. */
export function withSheet(workbook: Workbook, sheet: Sheet): Workbook {
  return { ...workbook, sheets: workbook.sheets.map((other) => (other.id === sheet.id ? sheet : other)) };
}

export function hasFormulas({ sheets }: Pick<Workbook, 'sheets'>): boolean {
  return sheets.some(({ formulas }) => formulas > 0);
}

export function hasVolatiles({ sheets }: Pick<Workbook, 'sheets'>): boolean {
  return sheets.some(({ volatiles }) => volatiles > 0);
}
