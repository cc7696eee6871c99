/**
 * A million cells out into an .xlsx file and in from it again, as server and thread do it, beside the bare library parts
 * that the same bytes go through; and as .csv. To reach: within four times the bare parts, and no more memory for a
 * million cells than for a tenth of them and what the texts of a portion take.
 */
import { buffer } from 'node:stream/consumers';
import { inflateRawSync } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { fromBufferPromise } from 'yauzl';
import { writeCsv } from '../src/formats/workbooks/csv/write.ts';
import { openWorkbook } from '../src/formats/workbooks/open-workbook.ts';
import type { ExportedRow, ExportedSheet } from '../src/formats/workbooks/workbook.ts';
import { writeXlsx } from '../src/formats/workbooks/xlsx/write.ts';
import type { Figure } from './report.ts';

const COLUMNS = 10;
const CELLS = 1_000_000;
const MIB = 1024 * 1024;

/** Six numbers, three texts and a formula a row. */
async function* rows(count: number): AsyncGenerator<ExportedRow> {
  for (let row = 0; row < count; row++) {
    const cells = Array.from({ length: COLUMNS }, (_, column) => {
      if (column < 6) return { column, input: row * column + 0.5, value: row * column + 0.5 };
      if (column < 9) return { column, input: `text ${(row * column) % 5003}`, value: '' };
      return { column, input: `=SUM(A${row + 1}:F${row + 1})`, value: row };
    });
    yield { row, cells };
  }
}

function sheetOf(cells: number): ExportedSheet {
  const extent = { rows: cells / COLUMNS, columns: COLUMNS };
  return { name: 'Sheet1', extent, rows: rows(extent.rows) };
}

/** Seconds that work takes, and by how many MiB the memory of the process grows meanwhile at most. */
async function measured<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number; grownBy: number }> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 10);
  const started = performance.now();
  const result = await work();
  clearInterval(timer);
  return { result, seconds: (performance.now() - started) / 1000, grownBy: (most - before) / MIB };
}

async function readAll(bytes: Buffer): Promise<number> {
  const { portions } = await openWorkbook(async () => new Uint8Array(bytes));
  let count = 0;
  for await (const { cells } of portions) count += cells.length;
  return count;
}

/** The parts of the archive inflated at once, and told by the parser to nobody. */
async function readBare(bytes: Buffer): Promise<void> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  for await (const entry of zip.eachEntry()) {
    const raw = await buffer(await zip.openReadStreamPromise(entry, { decodeFileData: false }));
    const parser = new SaxesParser({ position: false });
    parser.on('opentag', () => undefined);
    parser.write(inflateRawSync(raw).toString()).close();
  }
}

export async function bench(): Promise<Figure[]> {
  const small = await measured(() => buffer(writeXlsx([sheetOf(CELLS / 10)])));
  const smallRead = await measured(() => readAll(small.result));
  const written = await measured(() => buffer(writeXlsx([sheetOf(CELLS)])));
  const read = await measured(() => readAll(written.result));
  if (read.result !== CELLS) throw new Error(`${read.result} cells came back`);
  const bare = await measured(() => readBare(written.result));
  const csv = await measured(() => buffer(writeCsv(sheetOf(CELLS))));
  const csvRead = await measured(() => readAll(csv.result));
  return [
    { name: 'read a million cells of .xlsx', value: read.seconds, unit: 's', ceiling: bare.seconds },
    { name: 'read a million cells of .csv', value: csvRead.seconds, unit: 's' },
    { name: 'write a million cells of .xlsx', value: written.seconds, unit: 's' },
    { name: 'write a million cells of .csv', value: csv.seconds, unit: 's' },
    {
      name: 'memory to read a million, beside a tenth',
      value: read.grownBy,
      unit: 'MiB',
      ceiling: smallRead.grownBy,
    },
    {
      name: 'memory to write a million, beside a tenth',
      value: written.grownBy,
      unit: 'MiB',
      ceiling: small.grownBy,
    },
    { name: 'size of a million cells', value: written.result.length / MIB, unit: 'MiB' },
  ];
}
