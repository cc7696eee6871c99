import { Readable } from 'node:stream';
import { formatterOf } from '../../../formulas/number-format/format.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { ExportedSheet, ShownValue } from '../workbook.ts';

/** Characters that are handed on together. */
const PORTION = 64 * 1024;

/** The largest sheet whose records are filled up, in fields: one value in the last cell there can be would make 17 GB. */
const MAX_FILLED_UP = 20_000_000;

/**
 * What a sheet shows as separated values (RFC 4180): UTF-8, comma, CRLF, quotes where they are needed, and as many fields
 * in each record as the sheet has columns; in a very large sheet a record ends with its last value instead. Numbers are shown
 * in their formats. Texts go out as they are, also one that begins with "=", "+", "-" or "@", which spreadsheet programs take
 * for a formula when they open the file: an apostrophe before it would keep them from it, but be another text for everyone else. An .xlsx file tells texts from formulas.
 */
export function writeCsv(sheet: ExportedSheet): Readable {
  return Readable.from(portionsOf(sheet), { objectMode: false });
}

/** Texts in portions: to hand on each by itself would cost more than to make it. */
async function* portionsOf(sheet: ExportedSheet): AsyncGenerator<string> {
  let portion = '';
  for await (const text of textsOf(sheet)) {
    portion += text;
    await giveWay();
    if (portion.length < PORTION) continue;
    yield portion;
    portion = '';
  }
  if (portion !== '') yield portion;
}

/** Fields that are made together: the longest formats take 20 µs to show a number. */
const FIELDS_AT_ONCE = 512;

/** Some fields with what stands before them; a record may have much in it. */
async function* textsOf({ extent, rows }: ExportedSheet): AsyncGenerator<string> {
  const columns = extent.rows * extent.columns > MAX_FILLED_UP ? 1 : extent.columns;
  const empty = recordEnd(columns, 0);
  const emptyAtOnce = Math.ceil(PORTION / empty.length);
  let current = -1;
  let written = 0;
  for await (const { row, cells } of rows) {
    if (row > current) {
      if (current >= 0) yield recordEnd(columns, written);
      for (let next = current + 1; next < row; next += emptyAtOnce)
        yield empty.repeat(Math.min(emptyAtOnce, row - next));
      [current, written] = [row, 0];
    }
    let text = '';
    for (const [i, { column, value, format }] of cells.entries()) {
      const field = fieldOf(value, format);
      // A record is filled up with empty fields.
      if (field !== '') {
        text += SEPARATOR.repeat(written === 0 ? column : column - written + 1) + field;
        written = column + 1;
      }
      if (i % FIELDS_AT_ONCE !== FIELDS_AT_ONCE - 1 && text.length < PORTION) continue;
      yield text;
      text = '';
    }
    yield text;
  }
  if (current >= 0) yield recordEnd(columns, written);
}

const SEPARATOR = ',';

/** What fills a record up that has so many fields already. One of one empty field would be an empty line, which many readers pass over. */
function recordEnd(columns: number, written: number): string {
  if (written === 0) return columns <= 1 ? '""\r\n' : `${SEPARATOR.repeat(columns - 1)}\r\n`;
  return `${SEPARATOR.repeat(Math.max(0, columns - written))}\r\n`;
}

/** What would end a field, be lost when it is read again, or be taken for the separator by readers that look for it. */
const TO_BE_QUOTED = /[",;\t\r\n]|^\ufeff/;

function fieldOf(value: ShownValue, format: string | undefined): string {
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  const text = typeof value === 'number' && format !== undefined ? shownNumber(value, format) : String(value);
  return TO_BE_QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Built-in formats that each program shows in the language of its user; here there is none, and ISO 8601 is read by all. */
const LOCAL_DATES: ReadonlyMap<string, string> = new Map([
  ['mm-dd-yy', 'yyyy-mm-dd'],
  ['m/d/yy h:mm', 'yyyy-mm-dd hh:mm'],
]);

/** What a file of separated values gave its decimals, so that they come out as they came in. */
const PLAIN_DECIMALS = /^0\.0+$/;

/**
 * A number as it is shown in the number format of a code, without the blanks that only align it; as it is where the code shows
 * nothing of such a number, as those of dates do of negative ones, and where plain decimals would lose some of its digits.
 */
function shownNumber(value: number, code: string): string {
  const shown = formatterOf(LOCAL_DATES.get(code) ?? code)(value)?.trim() ?? String(value);
  return PLAIN_DECIMALS.test(code) && Number(shown) !== value ? String(value) : shown;
}
