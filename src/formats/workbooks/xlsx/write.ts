import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { textOfInput } from '../../../formulas/text-formula.ts';
import { columnLetters } from '../../../text/column-letters.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { formulaForFile } from '../formulas/to-file.ts';
import type { ImportedName, SheetLooks } from '../looks.ts';
import type {
  ExportedCell,
  ExportedRow,
  ExportedSheet,
  HiddenRows,
  RowRuns,
  SheetFilter,
  ShownValue,
} from '../workbook.ts';
import { isErrorCode } from './cell-value.ts';
import { StylesWriter } from './styles.ts';
import { elementsAfterRows, elementsBeforeRows, type LinkIds, linkRelationships } from './written-looks.ts';
import { notesPart, notesShapes, portions } from './written-notes.ts';
import {
  fixedParts,
  noteRelationships,
  RELATIONSHIPS_END,
  relationshipsStart,
  STYLES_PATH,
  sheetEnd,
  sheetStart,
} from './written-parts.ts';
import { escapeText } from './xml.ts';

/** Characters of one portion of output. */
const PORTION = 64 * 1024;

/** The XML of a worksheet, in portions; `styles` collects the formats of its cells. */
export async function* writeSheet(
  { rows, hiddenRows, looks }: ExportedSheet,
  links: LinkIds,
  styles: StylesWriter,
): AsyncGenerator<string> {
  const filter = hiddenRows?.filter;
  const isFiltered = filter !== undefined && (hiddenRows?.byFilter.length ?? 0) > 0;
  let portion = sheetStart(isFiltered, elementsBeforeRows(looks));
  for await (const element of rowElements(withHiddenRows(rows, hiddenRows), styles)) {
    portion += element;
    if (portion.length < PORTION) continue;
    yield portion;
    portion = '';
  }
  yield `${portion}</sheetData>`;
  for (const piece of elementsAfterRows(looks, links, filter ? filterElement(filter) : '')) {
    yield piece;
    await giveWay();
  }
  yield sheetEnd();
}

/** The row elements in chunks, since a row may be long. A shown row without written cells has no element. */
async function* rowElements(rows: AsyncIterable<WrittenRow>, styles: StylesWriter): AsyncGenerator<string> {
  let opened: number | undefined;
  for await (const { row, cells, isHidden } of rows) {
    const number = row + 1;
    let piece = '';
    if (opened !== undefined && opened !== number) {
      piece = ROW_END;
      opened = undefined;
    }
    const open = () => {
      if (opened === undefined) piece += `<row r="${number}"${isHidden ? ' hidden="1"' : ''}>`;
      opened = number;
    };
    if (isHidden) open();
    for (const cell of cells) {
      // Converting a formula parses it again, which takes time; a row may have thousands.
      if (typeof cell.input === 'string' && cell.input.startsWith('=')) await giveWay();
      const element = cellElement(cell, `${columnLetters(cell.column)}${number}`, styles);
      if (element === '') continue;
      open();
      piece += element;
      if (piece.length < PORTION) continue;
      yield piece;
      piece = '';
    }
    if (piece !== '') yield piece;
  }
  if (opened !== undefined) yield ROW_END;
}

const ROW_END = '</row>';

/** A cell filled by another cell's formula has no content of its own. */
function cellElement({ input, value, format }: ExportedCell, address: string, styles: StylesWriter): string {
  const marks = `r="${address}"${styles.attributeOf(format)}`;
  if (input === undefined) return format === undefined ? '' : `<c ${marks}/>`;
  if (typeof input === 'number') return `<c ${marks}><v>${input}</v></c>`;
  if (typeof input === 'boolean') return `<c ${marks} t="b"><v>${input ? 1 : 0}</v></c>`;
  const text = textOfInput(input);
  if (text !== undefined) return textElement(marks, text);
  const error = input.slice(1);
  if (isErrorCode(error)) return `<c ${marks} t="e"><v>${error}</v></c>`;
  return formulaElement(address, marks, input, value);
}

/** Texts are inline: a list of shared strings would have to be held in memory. */
function textElement(marks: string, text: string): string {
  return `<c ${marks} t="inlineStr"><is><t xml:space="preserve">${escapeText(text)}</t></is></c>`;
}

/** Other programs refuse a file with an invalid formula: such a formula is written as text. */
function formulaElement(address: string, marks: string, input: string, value: ShownValue): string {
  const formula = formulaForFile(input);
  if (formula === undefined) return textElement(marks, input);
  const text = escapeText(formula.text);
  const element = formula.isArray ? `<f t="array" ref="${address}">${text}</f>` : `<f>${text}</f>`;
  const array = formula.isArray ? ' cm="1"' : '';
  return `<c ${marks}${array}${typeAttribute(value)}>${element}<v>${valueText(value)}</v></c>`;
}

function typeAttribute(value: ShownValue): string {
  if (typeof value === 'number') return '';
  if (typeof value === 'boolean') return ' t="b"';
  return isErrorCode(value) ? ' t="e"' : ' t="str"';
}

function valueText(value: ShownValue): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return escapeText(String(value));
}

/** The filter element of a sheet; its criteria are the XML that was read. */
function filterElement({ top, left, bottom, right, columns }: SheetFilter): string {
  const range = `${columnLetters(left)}${top + 1}:${columnLetters(right)}${bottom + 1}`;
  const elements = columns.map(
    ({ offset, criteria }) => `<filterColumn colId="${offset}">${criteria}</filterColumn>`,
  );
  return `<autoFilter ref="${range}">${elements.join('')}</autoFilter>`;
}

/** A row to be written: a hidden row is written even without cells. The first chunk of a row carries the flag. */
interface WrittenRow extends ExportedRow {
  readonly isHidden: boolean;
}

/** Adds the hidden rows without cells to the rows, in order. */
async function* withHiddenRows(
  rows: AsyncIterable<ExportedRow>,
  hidden: HiddenRows | undefined,
): AsyncGenerator<WrittenRow> {
  const numbers = hidden ? hiddenRowNumbers(hidden) : [][Symbol.iterator]();
  let next = numbers.next();
  for await (const row of rows) {
    for (; !next.done && next.value < row.row; next = numbers.next()) yield emptyRow(next.value);
    const isHidden = !next.done && next.value === row.row;
    yield { ...row, isHidden };
    if (isHidden) next = numbers.next();
  }
  for (; !next.done; next = numbers.next()) yield emptyRow(next.value);
}

function emptyRow(row: number): WrittenRow {
  return { row, cells: [], isHidden: true };
}

/** All hidden rows, ascending; each is hidden either by hand or by a filter. */
function* hiddenRowNumbers({ byHand, byFilter }: HiddenRows): Generator<number, undefined> {
  const lists = [rowsOf(byHand), rowsOf(byFilter)] as const;
  const heads = [lists[0].next(), lists[1].next()];
  for (;;) {
    const [hand, filter] = heads;
    if (hand?.done === false && (filter?.done !== false || hand.value < filter.value)) {
      yield hand.value;
      heads[0] = lists[0].next();
    } else if (filter?.done === false) {
      yield filter.value;
      heads[1] = lists[1].next();
    } else return undefined;
  }
}

function* rowsOf(runs: RowRuns): Generator<number, undefined> {
  for (let at = 0; at < runs.length; at += 2) {
    const first = runs[at] ?? 0;
    const end = first + (runs[at + 1] ?? 0);
    for (let row = first; row < end; row++) yield row;
  }
  return undefined;
}

/** A fixed time, the start of DOS time: the same workbook always gives the same bytes. */
const TIMELESS = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/**
 * Writes a workbook as an .xlsx file. There must be at least one sheet. The sheets are read one after the other,
 * as the stream is consumed.
 */
export function writeXlsx(sheets: readonly ExportedSheet[], names: readonly ImportedName[] = []): Readable {
  const file = new WrittenFile();
  for (const [path, content] of Object.entries(fixedParts(sheets, names))) file.add(path, content);
  const styles = new StylesWriter();
  for (const [index, sheet] of sheets.entries()) {
    const number = index + 1;
    const links: LinkIds = new Map();
    file.addLazily(`xl/worksheets/sheet${number}.xml`, () => writeSheet(sheet, links, styles));
    addPartsBeside(file, number, sheet.looks, links);
  }
  // The styles are complete after all cells.
  file.addLazily(STYLES_PATH, () => [styles.part()]);
  return file.end();
}

/** Adds the notes of a sheet, and its relationships to them and to the targets of its links. */
function addPartsBeside(
  file: WrittenFile,
  sheet: number,
  looks: SheetLooks | undefined,
  links: LinkIds,
): void {
  const notes = looks?.notes ?? [];
  if (notes.length > 0) {
    file.addLazily(`xl/comments${sheet}.xml`, () => notesPart(notes));
    file.addLazily(`xl/drawings/vmlDrawing${sheet}.vml`, () => notesShapes(notes, sheet));
  }
  const hasTargets = looks?.links.some(({ target }) => target !== undefined) ?? false;
  if (notes.length === 0 && !hasTargets) return;
  const ofNotes = notes.length > 0 ? noteRelationships(sheet) : '';
  file.addLazily(`xl/worksheets/_rels/sheet${sheet}.xml.rels`, () =>
    portions(relationshipsStart(ofNotes), linkRelationships(links), RELATIONSHIPS_END),
  );
}

/** An archive that is written as its stream is consumed. */
class WrittenFile {
  readonly #zip = new ZipFile();
  readonly #output = this.#zip.outputStream as Readable;
  #source: Readable | undefined;

  constructor() {
    this.#zip.on('error', (error: Error) => this.#output.destroy(error));
    this.#output.once('close', () => this.#source?.destroy());
  }

  add(path: string, content: string): void {
    this.#zip.addBuffer(Buffer.from(content), path, TIMELESS);
  }

  /** Adds a part whose text is made when it is its turn. */
  addLazily(path: string, make: () => Iterable<string> | AsyncIterable<string>): void {
    this.#zip.addReadStreamLazy(path, TIMELESS, (opened) => {
      if (this.#output.destroyed) return;
      this.#source = Readable.from(make(), { objectMode: false });
      this.#source.on('error', (error) => this.#zip.emit('error', error));
      opened(null, this.#source);
    });
  }

  end(): Readable {
    this.#zip.end();
    return this.#output;
  }
}
