import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { readWorkbook } from '../../src/formats/workbooks/read.ts';
import type {
  CellInput,
  ExportedRow,
  ExportedSheet,
  WorkbookContent,
} from '../../src/formats/workbooks/workbook.ts';
import { Archive } from '../../src/formats/workbooks/xlsx/archive.ts';
import { escapeAttribute } from '../../src/formats/workbooks/xlsx/xml.ts';
import { columnLetters } from '../../src/text/column-letters.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CORPUS = join(ROOT, '..', 'shared', 'corpus', 'sheets');
const FIXTURES = join(ROOT, 'test', 'fixtures', 'workbooks');

/** A reason to skip where the collection of real workbooks is not beside the project; else false. */
export const noWorkbooks = existsSync(CORPUS)
  ? false
  : 'the collection of real workbooks is not on this machine';

/** The names of real files that begin and end in some way. */
export function realFiles(ending: string): string[] {
  return noWorkbooks ? [] : readdirSync(CORPUS).filter((name) => name.endsWith(ending));
}

export function realFile(name: string): Buffer {
  return readFileSync(join(CORPUS, name));
}

/** The fixtures, of which there are a few on every machine. */
export function workbookFixture(name: string): Buffer {
  return readFileSync(join(FIXTURES, name));
}

/** Cells by sheet and address, such as `Sheet1!A1`. */
export type Cells = Record<string, CellInput>;

export async function cellsOf(bytes: Uint8Array): Promise<Cells> {
  return cellsOfContent(await readWorkbook(bytes));
}

/** The codes of number formats by sheet and address; those of General are not in it. */
export async function formatsOf(bytes: Uint8Array): Promise<Record<string, string>> {
  const { sheets, portions } = await readWorkbook(bytes);
  const formats: Record<string, string> = {};
  for await (const { sheet, cells } of portions) {
    for (const { row, column, format } of cells) {
      if (format !== undefined) formats[`${sheets[sheet]}!${columnLetters(column)}${row + 1}`] = format;
    }
  }
  return formats;
}

export async function cellsOfContent({ sheets, portions }: WorkbookContent): Promise<Cells> {
  const cells: Cells = {};
  for await (const { sheet, cells: portion } of portions) {
    for (const { row, column, input } of portion) {
      if (input !== undefined) cells[`${sheets[sheet]}!${columnLetters(column)}${row + 1}`] = input;
    }
  }
  return cells;
}

/** An archive of some parts, each a text or bytes. */
export function archive(parts: Record<string, string | Uint8Array>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), path);
  zip.end();
  return buffer(zip.outputStream);
}

const WORKBOOK = '<workbook><sheets><sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets></workbook>';

/** A workbook of one sheet, of which the rows are given as they stand in the file; other parts beside or in place. */
export function workbookOf(rows: string, parts: Record<string, string | Uint8Array> = {}): Promise<Buffer> {
  return archive({
    'xl/workbook.xml': WORKBOOK,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    ...parts,
  });
}

/** The part of a workbook by which its styles 1, 2 and so on have these number formats: codes, or ids of built-in ones. */
export function stylesOf(...formats: (string | number)[]): Record<string, string> {
  const codes = formats.flatMap((format, i) =>
    typeof format === 'string'
      ? [`<numFmt numFmtId="${200 + i}" formatCode="${escapeAttribute(format)}"/>`]
      : [],
  );
  const styles = formats.map(
    (format, i) => `<xf numFmtId="${typeof format === 'string' ? 200 + i : format}"/>`,
  );
  return {
    'xl/styles.xml': `<styleSheet><numFmts>${codes.join('')}</numFmts><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
  };
}

/** A sheet to be written, of rows of inputs; what formulas show is given, or nothing. */
export function exported(
  name: string,
  rows: readonly (readonly (CellInput | undefined)[])[],
  shown: (input: CellInput) => CellInput = (input) => input,
): ExportedSheet {
  const columns = rows.reduce((most, { length }) => Math.max(most, length), 0);
  return { name, extent: { rows: rows.length, columns }, rows: rowsOf(rows, shown) };
}

async function* rowsOf(
  rows: readonly (readonly (CellInput | undefined)[])[],
  shown: (input: CellInput) => CellInput,
): AsyncGenerator<ExportedRow> {
  for (const [row, inputs] of rows.entries()) {
    const cells = inputs.flatMap((input, column) =>
      input === undefined || input === '' ? [] : [{ column, input, value: shown(input) }],
    );
    if (cells.length > 0) yield { row, cells };
  }
}

/** The text of one part of an archive. */
export async function partOf(bytes: Uint8Array, path: string): Promise<string> {
  return text((await Archive.open(bytes)).read(path));
}
