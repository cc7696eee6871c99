import { CellCount } from '../cell-count.ts';
import { MAX_ROWS } from '../limits.ts';
import {
  type ReadOutcome,
  type SheetPortion,
  UnreadableWorkbook,
  type WorkbookCell,
  type WorkbookContent,
} from '../workbook.ts';
import { RecordScanner } from './records.ts';
import { beginningOf } from './separator.ts';
import { type SeparatedText, textOf } from './text.ts';
import { formatOfField, inputOfField } from './value.ts';

/** A file of separated values as a workbook of one sheet. It and its cells throw UnreadableWorkbook. */
export function readCsv(bytes: Uint8Array): WorkbookContent {
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
