import { formatterOf } from '../../formulas/number-format/format.ts';
import { inputOfText } from '../../formulas/text-formula.ts';
import { CellCount } from './cell-count.ts';
import { RecordScanner, type SeparatedText, textOf } from './csv/records.ts';
import {
  type CellInput,
  MAX_ROWS,
  type ReadResult,
  type SheetPortion,
  UnreadableWorkbook,
  type WorkbookCell,
  type WorkbookContent,
} from './workbook.ts';

/** The signature of old Excel files and of every workbook with a password (MS-CFB 2.2). */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ARCHIVE = Buffer.from('PK');

/**
 * Reads an .xlsx or .csv file, recognized by its bytes. The .xlsx reader depends on the function library, so it is
 * imported on demand.
 */
export async function readWorkbook(bytes: Uint8Array): Promise<WorkbookContent> {
  if (startsWith(bytes, ARCHIVE)) return (await import('./xlsx/read.ts')).readXlsx(bytes);
  if (!startsWith(bytes, COMPOUND_FILE)) return readCsv(bytes);
  throw new UnreadableWorkbook('it is an .xls workbook, or has a password; save it as .xlsx without one');
}

function startsWith(bytes: Uint8Array, signature: Uint8Array): boolean {
  return signature.every((byte, i) => bytes[i] === byte);
}

/** A file of separated values as a workbook of one sheet. Reading it throws UnreadableWorkbook. */
function readCsv(bytes: Uint8Array): WorkbookContent {
  return { sheets: ['Sheet1'], portions: portionsOf(textOf(bytes), bytes.length) };
}

async function* portionsOf(
  { encoding, portions }: SeparatedText,
  size: number,
): AsyncGenerator<SheetPortion, ReadResult> {
  const count = new CellCount(() => size);
  const start = portions.next().value ?? '';
  const { separator, from } = beginningOf(start);
  let row = 0;
  for (const records of recordsOf(separator, start.slice(from), portions)) {
    const cells: WorkbookCell[] = [];
    for (const record of records) addRecord(cells, record, row++, count);
    if (cells.length > 0) yield { sheet: 0, cells };
  }
  return { read: { format: 'csv', encoding, separator }, notes: [], names: [] };
}

function* recordsOf(separator: string, start: string, texts: Generator<string>): Generator<string[][]> {
  const scanner = new RecordScanner(separator);
  yield scanner.read(start);
  for (const text of texts) yield scanner.read(text);
  yield scanner.end();
}

/** An empty field makes no cell. */
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

/** The result of the format detection for separated values. */
interface Beginning {
  /** The field separator. */
  readonly separator: string;
  /** The offset of the first record. */
  readonly from: number;
}

/** The line that declares the separator to Excel; not a record. One character, quoted or not. */
const DECLARATION = /^("?)sep=([^"\r\n\ud800-\udfff])\1(?:\r\n|[\r\n]|$)/i;

/**
 * The separator declared in the first line, as `sep=;`. Else the most frequent of comma, semicolon and tab in the
 * first line outside quotes; on a tie the first in this order. `start` is the start of the file.
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

/** The first non-empty line without quoted fields. */
function firstLine(start: string): string {
  const unquoted = start.replace(/"[^"]*(?:"|$)/g, '');
  return /[^\r\n]+/.exec(unquoted)?.[0] ?? '';
}

const BEGINS_LIKE_NUMBER = /^-?[0-9]/;
/** A decimal without leading zeros, plus, blanks, exponent or separators of thousands. */
const DECIMAL = /^-?(?:0|[1-9][0-9]*)\.([0-9]+)$/;
/** Most decimal places that spreadsheet programs allow in a format. */
const MOST_PLACES = 30;

/**
 * The cell input for a field: TRUE and FALSE become booleans, and a number becomes a number when it formats to the
 * same text again. All other fields are text: 1E5, -0 or 007 may be part numbers, and a card number would lose
 * digits.
 */
function inputOfField(field: string): CellInput {
  if (field === 'TRUE') return true;
  if (field === 'FALSE') return false;
  return isWrittenBack(field) ? Number(field) : inputOfText(field);
}

/** The number format that displays a number as in the file, such as 12.50; undefined when it needs none. */
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

/** The format with the decimal places of the text; undefined without any, or with too many. */
function formatOfPlaces(field: string): string | undefined {
  const places = DECIMAL.exec(field)?.[1]?.length ?? 0;
  return places > 0 && places <= MOST_PLACES ? FORMATS[places] : undefined;
}

const FORMATS = Array.from({ length: MOST_PLACES + 1 }, (_, places) => `0.${'0'.repeat(places)}`);
