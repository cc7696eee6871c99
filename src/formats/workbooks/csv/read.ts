import { CellCount } from '../cell-count.ts';
import { MAX_ROWS } from '../limits.ts';
import {
  type SheetPortion,
  UnreadableWorkbook,
  type WorkbookCell,
  type WorkbookContent,
} from '../workbook.ts';
import { RecordScanner } from './records.ts';
import { separatorOf } from './separator.ts';
import { textOf } from './text.ts';
import { inputOfField } from './value.ts';

/** A file of separated values as a workbook of one sheet. Its cells throw UnreadableWorkbook where they are read. */
export function readCsv(bytes: Uint8Array): WorkbookContent {
  return { sheets: ['Sheet1'], portions: portionsOf(bytes) };
}

async function* portionsOf(bytes: Uint8Array): AsyncGenerator<SheetPortion> {
  const count = new CellCount();
  let row = 0;
  for (const records of recordsOf(bytes)) {
    const cells: WorkbookCell[] = [];
    for (const record of records) addRecord(cells, record, row++, count);
    if (cells.length > 0) yield { sheet: 0, cells };
  }
}

function* recordsOf(bytes: Uint8Array): Generator<string[][]> {
  const texts = textOf(bytes);
  const start = texts.next().value ?? '';
  const scanner = new RecordScanner(separatorOf(start));
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
    cells.push({ row, column, input });
  }
}
