import type { SheetHead } from '../calculation.ts';
import { Texts } from '../cells/column.ts';
import { ColumnIndexes } from '../cells/column-index.ts';
import { Sheet } from '../cells/sheet.ts';
import { areaFrom, type Cell } from '../compile/references.ts';
import type { Area } from '../values.ts';
import { Formulas } from './formulas.ts';

/** All that is known of a workbook: its cells, its formulas, and what formulas have left behind when they ran. */
export class Book {
  readonly sheetNames: readonly string[];
  readonly sheets: readonly Sheet[];
  readonly texts = new Texts();
  readonly formulas = new Formulas();
  /** What formulas that spilled cover, with their own cells. */
  readonly spills = new Map<number, Area>();
  /** What formulas read that they do not name, as by OFFSET. */
  readonly found = new Map<number, readonly Area[]>();
  readonly volatiles = new Set<number>();
  /** What lookups have made of the columns that they go through. */
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
  namedBy(formula: number): Area[] {
    const cell = this.cellOf(formula);
    return this.formulas.program(formula).references.map((reference) => areaFrom(reference, cell));
  }

  /** The formula of a cell, or the one that spilled over it; -1 when there is none. */
  formulaAt(sheet: number, row: number, column: number): number {
    const cells = this.sheets[sheet]?.column(column);
    const slot = cells?.find(row) ?? -1;
    return slot < 0 ? -1 : (cells?.formulas[slot] as number);
  }

  /** Estimated bytes in memory. */
  get bytes(): number {
    const cells = this.sheets.reduce((sum, sheet) => sum + sheet.bytes, 0);
    return cells + this.formulas.bytes + this.texts.characters + this.texts.count * 40;
  }
}
