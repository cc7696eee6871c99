import { Readable } from 'node:stream';
import { giveWay } from '../../../turns/next-turn.ts';
import { shownText } from '../shown-text.ts';
import type { ExportedSheet, ShownValue } from '../workbook.ts';

/** Characters of one portion of output. */
const PORTION = 64 * 1024;

/** The largest sheet with padded records, in fields: a single value in the last possible cell would make 17 GB. */
const MAX_FILLED_UP = 20_000_000;

/**
 * Writes the displayed values of a sheet as separated values (RFC 4180): UTF-8, comma, CRLF, quotes where needed.
 * Each record has as many fields as the sheet has columns; in a very large sheet a record ends with its last
 * value. Values appear in their formats. Texts are not protected, also those that start with "=", "+", "-" or "@",
 * which spreadsheet programs read as formulas: an apostrophe as protection would change the text for all other
 * readers. An .xlsx file distinguishes texts from formulas.
 */
export function writeCsv(sheet: ExportedSheet): Readable {
  return Readable.from(portionsOf(sheet), { objectMode: false });
}

/** Joins texts to portions: single texts would cost more to transfer than to make. */
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

/** Fields formatted without a yield: the slowest formats take 20 µs for a value. */
const FIELDS_AT_ONCE = 512;

/** Some fields with the separators before them; a record may be long. */
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
      // Separators stand for the empty fields before this one.
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

/**
 * The padding of a record that has `written` fields already. A record of one empty field is quoted: many readers
 * skip an empty line.
 */
function recordEnd(columns: number, written: number): string {
  if (written === 0) return columns <= 1 ? '""\r\n' : `${SEPARATOR.repeat(columns - 1)}\r\n`;
  return `${SEPARATOR.repeat(Math.max(0, columns - written))}\r\n`;
}

/**
 * Characters that end a field, are lost when the file is read again, or look like the separator to readers that
 * detect it.
 */
const TO_BE_QUOTED = /[",;\t\r\n]|^\ufeff/;

function fieldOf(value: ShownValue, format: string | undefined): string {
  const text = shownText(value, format);
  return TO_BE_QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
