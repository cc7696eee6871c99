import type { SheetHead } from '../calculation.ts';
import { Texts } from '../cells/column.ts';
import { ColumnIndexes } from '../cells/column-index.ts';
import { Sheet } from '../cells/sheet.ts';
import { areaFrom, type Cell } from '../compile/references.ts';
import type { Area } from '../values.ts';
import { Formulas } from './formulas.ts';

/** The state of a workbook: its cells, its formulas, and the data recorded by earlier runs. */
export class Book {
  readonly sheetNames: readonly string[];
  readonly sheets: readonly Sheet[];
  readonly texts = new Texts();
  readonly formulas = new Formulas();
  /** The areas of spilled formulas, including their own cells. */
  readonly spills = new Map<number, Area>();
  /** The areas that formulas read without naming them, such as through OFFSET. */
  readonly dynamicAreas = new Map<number, readonly Area[]>();
  readonly volatiles = new Set<number>();
  /** The indexes that lookups have built. */
  readonly indexes = new ColumnIndexes();

  constructor(sheets: readonly SheetHead[]) {
    this.sheetNames = sheets.map(({ name }) => name);
    this.sheets = sheets.map(({ hiddenRows }) => new Sheet(this.texts, hiddenRows));
  }

  sheet(at: number): Sheet {
    const sheet = this.sheets[at];
    if (sheet === undefined)
      throw new RangeError(`a workbook of ${this.sheets.length} sheets has no sheet ${at}`);
    return sheet;
  }

  cellOf(formula: number): Cell {
    const { formulas } = this;
    return { sheet: formulas.sheet(formula), row: formulas.row(formula), column: formulas.column(formula) };
  }

  /** The areas that a formula names. */
  namedAreas(formula: number): Area[] {
    const cell = this.cellOf(formula);
    return this.formulas.program(formula).references.map((reference) => areaFrom(reference, cell));
  }

  /** The formula of a cell, or the one that spilled into it; -1 without one. */
  formulaAt(sheet: number, row: number, column: number): number {
    const cells = this.sheets[sheet]?.column(column);
    const slot = cells?.find(row) ?? -1;
    return slot < 0 ? -1 : (cells?.formulas[slot] as number);
  }

  /** The estimated memory in bytes. */
  get bytes(): number {
    const cells = this.sheets.reduce((sum, sheet) => sum + sheet.bytes, 0);
    return cells + this.formulas.bytes + this.texts.characters + this.texts.count * 40;
  }
}
