import { type CellInput, inputOfText, UnreadableWorkbook } from '../workbook.ts';
import { unescapeText } from './xml.ts';

/** What tells the value of a cell: its type, its style, and what stands in it. */
export interface StoredValue {
  /** n, s, str, inlineStr, b, e or d; a number when absent. */
  readonly type: string | undefined;
  readonly style: string | undefined;
  readonly value: string;
}

/** What values refer to. */
export interface ValueContext {
  readonly sharedStrings: readonly string[];
  /** Styles whose days count from 1904. */
  readonly styles1904: ReadonlySet<string>;
}

/** Days from the first of the usual serial numbers to that of workbooks whose days count from 1904. */
const DAYS_TO_1904 = 1462;
/** Errors that formulas can name. */
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

/** The input of a cell without a formula; undefined when there is nothing in it. */
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

/** The input that shows a text, or an error by its code: a cell holds an error as the formula of it. */
export function inputShowing(code: string): CellInput {
  return isErrorCode(code) ? `=${code}` : inputOfText(code);
}

/** Whether files and formulas know an error by this code. */
export function isErrorCode(code: string): boolean {
  return ERRORS.has(code);
}

function numberInput(value: string, days: number): CellInput {
  const number = Number(value);
  return Number.isFinite(number) ? number + days : inputOfText(value);
}

/** A date of ISO 8601 as a serial number, an hour as a part of a day. What is no date is text. */
function dateInput(value: string): CellInput {
  const time = /^\d\d:\d\d/.test(value) ? `1899-12-30T${value}` : value;
  const moment = Date.parse(/[Zz]|[+-]\d\d:\d\d$/.test(time) || !time.includes('T') ? time : `${time}Z`);
  if (Number.isNaN(moment)) return inputOfText(value);
  const serial = (moment - Date.UTC(1899, 11, 30)) / 86_400_000;
  // The serial numbers have a 29 February 1900, which never was: days before it count one less.
  return serial >= 1 && serial < 61 ? serial - 1 : serial;
}
