import type { Column } from '../cells/column.ts';
import type { Sheet } from '../cells/sheet.ts';
import type { Area } from '../values.ts';
import { RangeIndex } from './range-index.ts';

const END = -1;
const GROWTH = 1.5;

/** Linked lists of formulas in one flat array. A list is given by its head; END is the empty list. */
class Edges {
  #formulas = new Int32Array(64);
  #nexts = new Int32Array(64);
  #count = 0;

  /** Prepends a formula to a list; returns the new head. */
  add(formula: number, list: number): number {
    if (this.#count === this.#formulas.length) this.#grow();
    this.#formulas[this.#count] = formula;
    this.#nexts[this.#count] = list;
    return this.#count++;
  }

  /** Visits the formulas of a list. */
  each(list: number, visit: (formula: number) => void): void {
    for (let at = list; at !== END; at = this.#nexts[at] as number) visit(this.#formulas[at] as number);
  }

  get bytes(): number {
    return this.#formulas.length * 8;
  }

  #grow(): void {
    const size = Math.ceil(this.#count * GROWTH);
    const [formulas, nexts] = [new Int32Array(size), new Int32Array(size)];
    formulas.set(this.#formulas);
    nexts.set(this.#nexts);
    this.#formulas = formulas;
    this.#nexts = nexts;
  }
}

/** A range of up to so many cells is stored as single cells: less memory and direct lookup. */
const FEW_CELLS = 32;

/** The formulas that reference each cell. Removed formulas stay until a rebuild; callers skip them. */
export class Dependents {
  readonly #edges = new Edges();
  readonly #ranges: readonly RangeIndex[];
  readonly #sheets: readonly Sheet[];

  constructor(sheets: readonly Sheet[]) {
    this.#sheets = sheets;
    this.#ranges = sheets.map(() => new RangeIndex());
  }

  /** Adds the areas that formulas reference, in one batch: the slots for single cells are inserted together. */
  add(named: readonly { readonly formula: number; readonly areas: readonly Area[] }[]): void {
    const few = new CellLists(this.#sheets);
    for (const { formula, areas } of named) {
      for (const area of areas) {
        if (size(area) <= FEW_CELLS) few.add(area, formula);
        else this.#ranges[area.sheet]?.add(area, formula);
      }
    }
    few.link(this.#edges);
  }

  /**
   * Visits the formulas that reference a cell of an area, without those in range nodes already visited in this
   * wave.
   */
  each({ sheet, top, left, bottom, right }: Area, wave: number, visit: (formula: number) => void): void {
    for (let column = left; column <= right; column++) {
      const cells = this.#sheets[sheet]?.column(column);
      if (cells !== undefined) this.#eachListener(cells, top, bottom, visit);
      this.#ranges[sheet]?.eachBetween(top, bottom, column, wave, visit);
    }
  }

  #eachListener(cells: Column, top: number, bottom: number, visit: (formula: number) => void): void {
    for (let slot = cells.from(top); slot < cells.count && (cells.rows[slot] as number) <= bottom; slot++) {
      this.#edges.each(cells.listeners[slot] as number, visit);
    }
  }

  get bytes(): number {
    return this.#edges.bytes + this.#ranges.reduce((sum, one) => sum + one.entries * 20, 0);
  }
}

function size(area: Area): number {
  return (area.bottom - area.top + 1) * (area.right - area.left + 1);
}

/** Cells that formulas reference individually, grouped by column. */
class CellLists {
  readonly #byColumn = new Map<number, { rows: number[]; formulas: number[] }>();
  readonly #sheets: readonly Sheet[];

  constructor(sheets: readonly Sheet[]) {
    this.#sheets = sheets;
  }

  add(area: Area, formula: number): void {
    for (let column = area.left; column <= area.right; column++) {
      const list = this.#list(area.sheet, column);
      for (let row = area.top; row <= area.bottom; row++) {
        list.rows.push(row);
        list.formulas.push(formula);
      }
    }
  }

  #list(sheet: number, column: number): { rows: number[]; formulas: number[] } {
    const key = sheet * 2 ** 14 + column;
    const found = this.#byColumn.get(key);
    if (found !== undefined) return found;
    const made = { rows: [], formulas: [] };
    this.#byColumn.set(key, made);
    return made;
  }

  link(edges: Edges): void {
    for (const [key, { rows, formulas }] of this.#byColumn) {
      const cells = this.#sheets[Math.floor(key / 2 ** 14)]?.ensure(key % 2 ** 14);
      if (cells === undefined) continue;
      cells.insert(Int32Array.from(rows).sort());
      for (const [at, row] of rows.entries()) {
        const slot = cells.find(row);
        cells.listeners[slot] = edges.add(formulas[at] as number, cells.listeners[slot] as number);
      }
    }
  }
}
