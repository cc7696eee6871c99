import { formatterOf } from '../../formulas/number-format/format.ts';
import type { ShownValue } from './workbook.ts';
import { isErrorCode } from './xlsx/cell-value.ts';

/**
 * Built-in formats that each program displays in its user's locale. What is shown here has no locale; every reader
 * knows ISO 8601.
 */
const LOCAL_DATES: ReadonlyMap<string, string> = new Map([
  ['mm-dd-yy', 'yyyy-mm-dd'],
  ['m/d/yy h:mm', 'yyyy-mm-dd hh:mm'],
]);

/** Most characters that a format makes of a text. Excel's cells hold no more; a code may repeat a text 255 times. */
const MAX_TEXT = 32_767;

/**
 * What a cell shows as text: its value by its number format, as in Excel in English, without blanks for alignment.
 * Without a format, and when the format displays nothing for this value (as date formats for negative numbers), the
 * value unformatted. Formats change neither booleans nor errors.
 */
export function shownText(value: ShownValue, format: string | undefined): string {
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (format === undefined || value === '') return String(value);
  return typeof value === 'number' ? shownNumber(value, format) : textInFormat(value, format);
}

function shownNumber(value: number, code: string): string {
  return formatterOf(LOCAL_DATES.get(code) ?? code)(value)?.trim() ?? String(value);
}

/** A text by the section for texts. Its own blanks at both ends stay. */
function textInFormat(value: string, code: string): string {
  const repeats = code.includes('@') ? code.split('@').length - 1 : 0;
  if (isErrorCode(value) || repeats * value.length + code.length > MAX_TEXT) return value;
  const shown = formatterOf(code)(value) ?? value;
  const trimmed = shown.trim();
  return trimmed === value.trim() ? value : trimmed;
}
