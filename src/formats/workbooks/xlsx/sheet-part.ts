import { areaText } from '../areas.ts';
import { type CellCount, refuseTooLong } from '../cell-count.ts';
import type { FormulaReader } from '../formulas/formula-reader.ts';
import { SharedFormulas } from '../formulas/names.ts';
import type { ImportNotes } from '../import-notes.ts';
import { encodeLooks, hasLooks, type LooksCount, type SheetLooks } from '../looks.ts';
import {
  type CellAddress,
  type CellInput,
  type HiddenRows,
  MAX_COLUMNS,
  MAX_ROWS,
  parseAddress,
  type SheetPortion,
  UnreadableWorkbook,
  type WorkbookCell,
} from '../workbook.ts';
import { type Archive, readRelationships } from './archive.ts';
import { inputOf, type ValueContext } from './cell-value.ts';
import { FilterReader, HiddenRowList, type ReadFilter } from './filters.ts';
import { LeftOutElements } from './left-out-elements.ts';
import { type LooksContext, LooksReader } from './looks-reader.ts';
import type { SheetEntry } from './outline.ts';
import { RichText } from './shared-strings.ts';
import { readSheetParts } from './sheet-parts.ts';
import { type Attributes, isTrue, readXml, unescapeName, type XmlReader } from './xml.ts';

/** Data that the cells of all sheets refer to. */
export interface SheetContext extends ValueContext {
  readonly formulas: FormulaReader;
  readonly count: CellCount;
  /** The number format of each style; undefined for General. */
  readonly formats: readonly (string | undefined)[];
  /** Whether each style has more than a number format. */
  readonly isStyled: readonly boolean[];
  readonly notes: ImportNotes;
  readonly looksCount: LooksCount;
  /** The parts beside sheets that have been read, in lower case. */
  readonly seenParts: Set<string>;
}

/** Data of a sheet from other parts. */
export interface SheetToRead extends Pick<SheetEntry, 'name' | 'hidden'> {
  readonly tableFilters: readonly ReadFilter[];
}

/** The cells of a sheet in order, in portions; the last one has the properties. Throws UnreadableWorkbook. */
export async function* readSheet(
  archive: Archive,
  part: string,
  { name, hidden, tableFilters }: SheetToRead,
  context: SheetContext,
): AsyncGenerator<Omit<SheetPortion, 'sheet'>> {
  const rows = new SheetRows(context.count);
  const relationships = await readRelationships(archive, part);
  const looks: LooksContext = { sheet: name, relationships, notes: context.notes, count: context.looksCount };
  const reader = new SheetReader(looks, rows, context);
  for await (const _step of readXml(part, archive.read(part), reader)) {
    const cells = rows.take();
    if (cells.length > 0) yield { cells };
  }
  rows.end();
  const hiddenRows = reader.hiddenRows(tableFilters);
  const found = reader.looks(await readSheetParts(archive, looks, context.seenParts));
  const properties = { hidden, hiddenRows, ...(hasLooks(found) && { looks: await encodeLooks(found) }) };
  yield { cells: rows.take(), properties };
}

class SheetReader implements XmlReader {
  readonly #sheet: string;
  readonly #looks: LooksReader;
  readonly #leftOut: LeftOutElements;
  readonly #rows: SheetRows;
  readonly #context: SheetContext;
  readonly #shared = new SharedFormulas();
  readonly #arrays = new ArrayAreas();
  readonly #inline = new RichText();
  readonly #hidden = new HiddenRowList();
  readonly #filters = new FilterReader();
  /** Within custom views, each of which has filters of its own. */
  #isInViews = false;
  /** The default address of the next row or cell. */
  #next: CellAddress = { row: 0, column: 0 };
  /** The current cell, its formula, and the element whose text is being read. */
  #cell: Attributes | undefined;
  #formula: Attributes | undefined;
  #element: string | undefined;
  #formulaText = '';
  #value = '';

  constructor(looks: LooksContext, rows: SheetRows, context: SheetContext) {
    this.#sheet = looks.sheet;
    this.#looks = new LooksReader(looks);
    this.#leftOut = new LeftOutElements(looks.notes, looks.sheet);
    this.#rows = rows;
    this.#context = context;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'row') this.#beginRow(attributes);
    else if (name === 'c') this.#beginCell(attributes);
    else if (this.#cell) this.#openInCell(name, attributes);
    else this.#openOutside(name, attributes);
  }

  text(text: string): void {
    if (this.#element === 'v') this.#value += text;
    else if (this.#element === 'f') this.#formulaText += text;
    else if (this.#element === 'is') this.#inline.text(text);
    else if (!this.#cell) this.#leftOut.text(text);
  }

  close(name: string): void {
    if (name === 'row') this.#next = { row: this.#next.row + 1, column: 0 };
    else if (name === 'c') this.#endCell();
    else if (name === this.#element) this.#closeElement();
    else if (this.#element === 'is') this.#inline.close(name);
    else if (name === 'customSheetViews') this.#isInViews = false;
    else if (!this.#isInViews) this.#closeOutside(name);
  }

  /**
   * The hidden rows, including those hidden by the filters of its tables, and the filter that is kept: one that hides
   * rows, of the sheet or a table, or else that of the sheet.
   */
  hiddenRows(ofTables: readonly ReadFilter[]): HiddenRows | undefined {
    const own = this.#filters.filters();
    const all = [...own, ...ofTables];
    const kept = all.find(({ decides }) => decides) ?? own[0];
    const { notes } = this.#context;
    for (const filter of own) {
      if (filter === kept && !filter.isReduced) continue;
      notes.add('filters', { sheet: this.#sheet, range: areaText(filter) });
    }
    return this.#hidden.hidden(all, kept);
  }

  /** To be called after all elements. */
  looks(notes: SheetLooks['notes']): SheetLooks {
    this.#leftOut.end();
    return this.#looks.looks(notes);
  }

  #openOutside(name: string, attributes: Attributes): void {
    if (this.#isInViews) return;
    this.#leftOut.open(name, attributes);
    if (name === 'customSheetViews') this.#isInViews = true;
    else {
      this.#filters.open(name, attributes);
      this.#looks.open(name, attributes);
    }
  }

  #closeOutside(name: string): void {
    this.#filters.close(name);
    this.#leftOut.close(name);
  }

  #openInCell(name: string, attributes: Attributes): void {
    if (this.#element === 'is') this.#inline.open(name);
    else if (name === 'v' || name === 'f' || name === 'is') this.#element = name;
    if (name === 'is') this.#inline.begin();
    if (name === 'f') this.#formula = attributes;
  }

  #closeElement(): void {
    if (this.#element === 'is') this.#value = this.#inline.end();
    this.#element = undefined;
  }

  #beginRow(attributes: Attributes): void {
    const { r: number, hidden } = attributes;
    const row = number === undefined ? this.#next.row : Number(number) - 1;
    if (!Number.isInteger(row) || row < 0 || row >= MAX_ROWS) this.#refuse(`row ${number}`);
    this.#next = { row, column: 0 };
    if (isTrue(hidden)) this.#hidden.add(row);
    this.#leftOut.row(row, attributes);
  }

  #beginCell(attributes: Attributes): void {
    const { r: address } = attributes;
    const cell = address === undefined ? this.#next : parseAddress(address);
    if (!cell || cell.column >= MAX_COLUMNS || cell.row >= MAX_ROWS) this.#refuse(`a cell ${address ?? ''}`);
    this.#next = cell;
    this.#cell = attributes;
    this.#formula = undefined;
    this.#formulaText = '';
    this.#value = '';
  }

  #endCell(): void {
    const address = this.#next;
    this.#next = { row: address.row, column: address.column + 1 };
    const input = this.#arrays.fills(address)
      ? undefined
      : (this.#formulaInput(address) ?? this.#valueInput());
    const style = Number(this.#cell?.s ?? 0);
    const format = this.#context.formats[style];
    if (this.#context.isStyled[style]) this.#leftOut.styledCell(address.row, address.column);
    this.#cell = undefined;
    this.#rows.add(address, input, format);
  }

  #valueInput(): CellInput | undefined {
    const { t: type, s: style } = this.#cell ?? {};
    return inputOf({ type, style, value: this.#value }, this.#context);
  }

  /** Cells without a formula text, such as those of a data table, keep their computed values. */
  #formulaInput(address: CellAddress): string | undefined {
    if (!this.#formula || this.#formula.t === 'dataTable') return undefined;
    const { t: type, si: group, ref: area } = this.#formula;
    const own = unescapeName(this.#formulaText);
    refuseTooLong(own, address);
    if (type === 'array' && area !== undefined && own.trim() !== '') this.#arrays.add(area);
    const text = type === 'shared' ? this.#shared.at(group ?? '', own, address) : own;
    if (text === undefined || text.trim() === '') return undefined;
    return this.#context.formulas.read(text, { sheet: this.#sheet, ...address, isArray: type === 'array' });
  }

  #refuse(what: string): never {
    throw new UnreadableWorkbook(`its sheet ${JSON.stringify(this.#sheet)} has ${what} outside of a sheet`);
  }
}

/**
 * The cells filled by the array formula of another cell, whose values in the file are computed. Queries come in
 * order of rows, so it is enough to hold the last filled row of each column.
 */
class ArrayAreas {
  readonly #filledTo = new Int32Array(MAX_COLUMNS).fill(-1);

  /** Whether the formula of another cell fills this one. */
  fills({ row, column }: CellAddress): boolean {
    return (this.#filledTo[column] ?? -1) >= row;
  }

  /** Adds the area of an array formula, such as A1:B3. */
  add(area: string): void {
    const [first = '', last = first] = area.split(':');
    const start = parseAddress(first);
    const end = parseAddress(last);
    if (start && end) this.#filledTo.fill(end.row, start.column, end.column + 1);
  }
}

/** Sorts the cells of each row, which may come in any order; of duplicates the last one counts. */
class SheetRows {
  readonly #count: CellCount;
  #row = -1;
  #cells = new Map<number, WorkbookCell>();
  #ended: WorkbookCell[] = [];

  constructor(count: CellCount) {
    this.#count = count;
  }

  /**
   * Ignores a cell without input and format. Throws UnreadableWorkbook when the row has ended before, or the cell
   * exceeds a limit.
   */
  add(address: CellAddress, input: CellInput | undefined, format: string | undefined): void {
    if (input !== undefined) this.#count.add(input, address);
    else if (format === undefined || !this.#count.addFormatted()) return;
    if (address.row !== this.#row) this.#begin(address.row);
    const { row, column } = address;
    this.#cells.set(column, format === undefined ? { row, column, input } : { row, column, input, format });
  }

  /** The cells of the rows completed since the last call. */
  take(): WorkbookCell[] {
    return this.#ended.splice(0);
  }

  /** Completes the last row. */
  end(): void {
    const columns = [...this.#cells.keys()];
    if (columns.some((column, i) => column < (columns[i - 1] ?? -1))) columns.sort((a, b) => a - b);
    for (const column of columns) {
      const cell = this.#cells.get(column);
      if (cell) this.#ended.push(cell);
    }
    this.#cells = new Map();
  }

  #begin(row: number): void {
    if (row < this.#row) throw new UnreadableWorkbook(`row ${row + 1} comes after row ${this.#row + 1}`);
    this.end();
    this.#row = row;
  }
}
