import { formatterOf } from '../../formulas/number-format/format.ts';
import { CellCount } from './cell-count.ts';
import { RecordScanner, type SeparatedText, textOf } from './csv/records.ts';
import {
  type CellInput,
  inputOfText,
  MAX_ROWS,
  type ReadOutcome,
  type SheetPortion,
  UnreadableWorkbook,
  type WorkbookCell,
  type WorkbookContent,
} from './workbook.ts';

/** What the old format of Excel, and every workbook with a password, begins with (MS-CFB, 2.2). */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ARCHIVE = Buffer.from('PK');

/** A workbook of the bytes of an .xlsx or .csv file, which say which of the two they are. What reads the first knows every function, and is loaded when it is needed. */
export async function readWorkbook(bytes: Uint8Array): Promise<WorkbookContent> {
  if (startsWith(bytes, ARCHIVE)) return (await import('./xlsx/read.ts')).readXlsx(bytes);
  if (!startsWith(bytes, COMPOUND_FILE)) return readCsv(bytes);
  throw new UnreadableWorkbook('it is an .xls workbook, or has a password; save it as .xlsx without one');
}

function startsWith(bytes: Uint8Array, signature: Uint8Array): boolean {
  return signature.every((byte, i) => bytes[i] === byte);
}

/** A file of separated values as a workbook of one sheet. It and its cells throw UnreadableWorkbook. */
function readCsv(bytes: Uint8Array): WorkbookContent {
  return { sheets: ['Sheet1'], portions: portionsOf(textOf(bytes), bytes.length) };
}

async function* portionsOf(
  { encoding, portions }: SeparatedText,
  size: number,
): AsyncGenerator<SheetPortion, ReadOutcome> {
  const count = new CellCount(() => size);
  const start = portions.next().value ?? '';
  const { separator, from } = beginningOf(start);
  let row = 0;
  for (const records of recordsOf(separator, start.slice(from), portions)) {
    const cells: WorkbookCell[] = [];
    for (const record of records) addRecord(cells, record, row++, count);
    if (cells.length > 0) yield { sheet: 0, cells };
  }
  return { format: 'csv', encoding, separator };
}

function* recordsOf(separator: string, start: string, texts: Generator<string>): Generator<string[][]> {
  const scanner = new RecordScanner(separator);
  yield scanner.read(start);
  for (const text of texts) yield scanner.read(text);
  yield scanner.end();
}

/** An empty field is an empty cell, which is none. */
function addRecord(cells: WorkbookCell[], fields: readonly string[], row: number, count: CellCount): void {
  if (row >= MAX_ROWS) throw new UnreadableWorkbook(`it has more than ${MAX_ROWS} rows`);
  for (const [column, field] of fields.entries()) {
    if (field === '') continue;
    const input = inputOfField(field);
    count.add(input, { row, column });
    const format = formatOfField(field, input);
    cells.push(format === undefined ? { row, column, input } : { row, column, input, format });
  }
}

const SEPARATORS = [',', ';', '\t'] as const;

/** How a file of separated values begins. */
interface Beginning {
  /** What stands between fields. */
  readonly separator: string;
  /** Where its records begin. */
  readonly from: number;
}

/** The first line with which Excel is told the separator; it is no record. One character, in quotes or without. */
const DECLARATION = /^("?)sep=([^"\r\n\ud800-\udfff])\1(?:\r\n|[\r\n]|$)/i;

/**
 * What separates the fields of a file: what its first line declares, as `sep=;`. Else comma, semicolon or tab, whichever its
 * first line has most of outside of quotes; of equally many the first in this order. `start` is the beginning of the file.
 */
function beginningOf(start: string): Beginning {
  const [declaration = '', , declared] = DECLARATION.exec(start) ?? [];
  if (declared !== undefined) return { separator: declared, from: declaration.length };
  const counts = new Map<string, number>(SEPARATORS.map((separator) => [separator, 0]));
  for (const char of firstLine(start)) {
    const count = counts.get(char);
    if (count !== undefined) counts.set(char, count + 1);
  }
  const [separator] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best));
  return { separator, from: 0 };
}

/** The first line that is not empty, without what is quoted. */
function firstLine(start: string): string {
  const unquoted = start.replace(/"[^"]*(?:"|$)/g, '');
  return /[^\r\n]+/.exec(unquoted)?.[0] ?? '';
}

const BEGINS_LIKE_NUMBER = /^-?[0-9]/;
/** A decimal without leading zeros, plus, blanks, exponent or separators of thousands. */
const DECIMAL = /^-?(?:0|[1-9][0-9]*)\.([0-9]+)$/;
/** Decimal places that spreadsheet programs let a format have. */
const MOST_PLACES = 30;

/**
 * The input of a cell for a field: TRUE and FALSE are booleans, and what is a number that is written back as the same text is
 * one. All else is text: 1E5, -0 or 007 may be the number of a part, and of that of a card digits would be lost.
 */
function inputOfField(field: string): CellInput {
  if (field === 'TRUE') return true;
  if (field === 'FALSE') return false;
  return isWrittenBack(field) ? Number(field) : inputOfText(field);
}

/** The number format that a number needs to be shown as it was written, as 12.50 does; undefined where it needs none. */
function formatOfField(field: string, input: CellInput): string | undefined {
  return typeof input === 'number' && String(input) !== field ? formatOfPlaces(field) : undefined;
}

function isWrittenBack(field: string): boolean {
  if (!BEGINS_LIKE_NUMBER.test(field)) return false;
  const number = Number(field);
  if (!Number.isFinite(number)) return false;
  if (String(number) === field) return true;
  const format = formatOfPlaces(field);
  return format !== undefined && !Object.is(number, -0) && formatterOf(format)(number) === field;
}

/** As many decimal places as a number is written with; undefined of one without any, or with too many. */
function formatOfPlaces(field: string): string | undefined {
  const places = DECIMAL.exec(field)?.[1]?.length ?? 0;
  return places > 0 && places <= MOST_PLACES ? FORMATS[places] : undefined;
}

const FORMATS = Array.from({ length: MOST_PLACES + 1 }, (_, places) => `0.${'0'.repeat(places)}`);
