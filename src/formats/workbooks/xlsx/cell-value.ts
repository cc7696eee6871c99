import { inputOfText } from '../../../formulas/text-formula.ts';
import { type CellInput, UnreadableWorkbook } from '../workbook.ts';
import { unescapeText } from './xml.ts';

/** A cell value in the file: its type, style and content. */
export interface StoredValue {
  /** n, s, str, inlineStr, b, e or d; absent means a number. */
  readonly type: string | undefined;
  readonly style: string | undefined;
  readonly value: string;
}

/** The tables that cell values refer to. */
export interface ValueContext {
  readonly sharedStrings: readonly string[];
  /** Date styles of a workbook with the 1904 date system. */
  readonly styles1904: ReadonlySet<string>;
}

/** Days between the epochs of the 1900 and the 1904 date system. */
const DAYS_TO_1904 = 1462;
/** The errors that formulas can contain. */
const ERRORS: ReadonlySet<string> = new Set([
  '#NULL!',
  '#DIV/0!',
  '#VALUE!',
  '#REF!',
  '#NAME?',
  '#NUM!',
  '#N/A',
  '#SPILL!',
  '#CALC!',
]);

/** The input of a cell without a formula; undefined for an empty cell. */
export function inputOf({ type, style, value }: StoredValue, context: ValueContext): CellInput | undefined {
  if (value === '') return undefined;
  switch (type) {
    case 's':
      return textInput(sharedText(value, context));
    case 'inlineStr':
      return textInput(value);
    case 'str':
      return textInput(unescapeText(value));
    case 'b':
      return value.trim() === '1' || value.trim() === 'true';
    case 'e':
      return inputShowing(value);
    case 'd':
      return dateInput(value);
    default:
      return numberInput(value, style !== undefined && context.styles1904.has(style) ? DAYS_TO_1904 : 0);
  }
}

function sharedText(number: string, { sharedStrings }: ValueContext): string {
  const text = sharedStrings[Number(number)];
  if (text !== undefined) return text;
  throw new UnreadableWorkbook(`a cell shows the shared text ${JSON.stringify(number)}, which is missing`);
}

function textInput(text: string): CellInput | undefined {
  return text === '' ? undefined : inputOfText(text);
}

/** The input that shows a text, or an error given by its code: a formula whose result is the error. */
export function inputShowing(code: string): CellInput {
  return isErrorCode(code) ? `=${code}` : inputOfText(code);
}

/** Whether it is an error code of files and formulas. */
export function isErrorCode(code: string): boolean {
  return ERRORS.has(code);
}

function numberInput(value: string, days: number): CellInput {
  const number = Number(value);
  return Number.isFinite(number) ? number + days : inputOfText(value);
}

/** An ISO 8601 date or time as a serial number; invalid text stays text. */
function dateInput(value: string): CellInput {
  const time = /^\d\d:\d\d/.test(value) ? `1899-12-30T${value}` : value;
  const moment = Date.parse(/[Zz]|[+-]\d\d:\d\d$/.test(time) || !time.includes('T') ? time : `${time}Z`);
  if (Number.isNaN(moment)) return inputOfText(value);
  const serial = (moment - Date.UTC(1899, 11, 30)) / 86_400_000;
  // Serial numbers include 29 February 1900, which did not exist: earlier days count one less.
  return serial >= 1 && serial < 61 ? serial - 1 : serial;
}
