import { Readable } from 'node:stream';
import { Turns } from '../../../turns/turns.ts';
import type { ExportedRow, ExportedSheet, ShownValue } from '../workbook.ts';
import { shownNumber } from './shown-number.ts';

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

/** Records in portions: to hand on each by itself would cost more than to make it. */
async function* portionsOf(sheet: ExportedSheet): AsyncGenerator<string> {
  let portion = '';
  for await (const record of recordsOf(sheet)) {
    portion += record;
    if (portion.length < PORTION) continue;
    yield portion;
    portion = '';
  }
  if (portion !== '') yield portion;
}

async function* recordsOf({ extent, rows }: ExportedSheet): AsyncGenerator<string> {
  const columns = extent.rows * extent.columns > MAX_FILLED_UP ? 1 : extent.columns;
  const turns = new Turns();
  const empty = recordOf(emptyFields(columns));
  const emptyAtOnce = Math.ceil(PORTION / empty.length);
  let next = 0;
  for await (const { row, cells } of rows) {
    for (; next < row; next += emptyAtOnce) yield empty.repeat(Math.min(emptyAtOnce, row - next));
    yield recordOf(await fieldsOf(cells, columns, turns));
    next = row + 1;
  }
}

/** Fields of one record between which others have their turn: the longest formats take 20 µs to show a number. */
const FIELDS_A_TURN = 512;

/** As many fields as there are columns, or as it takes to hold the cells. */
async function fieldsOf(cells: ExportedRow['cells'], columns: number, turns: Turns): Promise<string[]> {
  const fields = emptyFields(columns);
  for (const [i, { column, value, format }] of cells.entries()) {
    fields[column] = fieldOf(value, format);
    if (i % FIELDS_A_TURN === FIELDS_A_TURN - 1) await turns.next();
  }
  return fields;
}

function emptyFields(columns: number): string[] {
  return new Array<string>(columns).fill('');
}

/** A record of one empty field would be an empty line, which many readers pass over. */
function recordOf(fields: readonly string[]): string {
  return fields.length === 1 && fields[0] === '' ? '""\r\n' : `${fields.join(',')}\r\n`;
}

/** What would end a field, be lost when it is read again, or be taken for the separator by readers that look for it. */
const TO_BE_QUOTED = /[",;\t\r\n]|^\ufeff/;

function fieldOf(value: ShownValue, format: string | undefined): string {
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  const text = typeof value === 'number' && format !== undefined ? shownNumber(value, format) : String(value);
  return TO_BE_QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
