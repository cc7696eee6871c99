import { columnNumber } from '../../../text/column-letters.ts';
import { fold } from '../../../text/fold.ts';
import { COLUMNS, ROWS } from '../cells/a1.ts';

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
