import { type Column, SPILLED } from '../cells/column.ts';
import { type IndexedValue, sumsOf } from '../cells/column-index.ts';
import type { Host } from '../compile/compiler.ts';
import type { Area, Grid, Scalar } from '../values.ts';
import type { Book } from './book.ts';
import { STATE } from './formulas.ts';
import { BLOCK_BITS } from './staleness.ts';

/** Iterates over the stale formulas of an area, column by column, forward only. */
export class UnknownCells {
  readonly #book: Book;
  readonly #area: Area;
  #column: number;
  #row: number;

  constructor(book: Book, area: Area) {
    this.#book = book;
    this.#area = area;
    this.#column = area.left;
    this.#row = area.top;
  }

  /** The next stale formula; -1 when none is left. Returns the same formula until it is calculated. */
  next(): number {
    for (const [absolute, cells] of this.#book
      .sheet(this.#area.sheet)
      .columns(this.#column, this.#area.right)) {
      if (absolute !== this.#column) {
        this.#column = absolute;
        this.#row = this.#area.top;
      }
      const found = cells.stale.size === 0 ? -1 : this.#nextIn(cells);
      if (found >= 0) return found;
    }
    this.#column = this.#area.right + 1;
    return -1;
  }

  #nextIn(cells: Column): number {
    const last = this.#area.bottom >> BLOCK_BITS;
    for (let block = this.#row >> BLOCK_BITS; block <= last; block++) {
      if (!cells.stale.has(block)) continue;
      const from = Math.max(this.#row, block << BLOCK_BITS);
      const found = this.#nextBetween(
        cells,
        from,
        Math.min(this.#area.bottom, ((block + 1) << BLOCK_BITS) - 1),
      );
      if (found >= 0) return found;
    }
    return -1;
  }

  #nextBetween(cells: Column, top: number, bottom: number): number {
    const { formulas } = this.#book;
    for (let slot = cells.from(top); slot < cells.count && (cells.rows[slot] as number) <= bottom; slot++) {
      const formula = cells.formulas[slot] as number;
      if (formula < 0 || ((cells.kinds[slot] as number) & SPILLED) !== 0) continue;
      if (formulas.state(formula) === STATE.clean) continue;
      this.#row = cells.rows[slot] as number;
      return formula;
    }
    return -1;
  }
}

/** The cells of a reference. Stale values are calculated before they are returned. */
export class AreaGrid implements Grid {
  readonly rows: number;
  readonly columns: number;
  readonly area: Area;
  readonly #book: Book;
  readonly #host: Host;

  constructor(area: Area, book: Book, host: Host) {
    this.area = area;
    this.rows = area.bottom - area.top + 1;
    this.columns = area.right - area.left + 1;
    this.#book = book;
    this.#host = host;
  }

  get usedRows(): number {
    return this.#book.sheet(this.area.sheet).used(this.area).rows;
  }

  get usedColumns(): number {
    return this.#book.sheet(this.area.sheet).used(this.area).columns;
  }

  at(row: number, column: number): Scalar {
    if (row < 0 || column < 0 || row >= this.rows || column >= this.columns) return null;
    return this.#host.read(this.area.sheet, this.area.top + row, this.area.left + column);
  }

  sums(): readonly number[] | undefined {
    const { area } = this;
    this.#host.demand(area);
    const found: number[] = [];
    for (const [, cells] of this.#book.sheet(area.sheet).columns(area.left, area.right)) {
      const sums = sumsOf(cells, area.top, area.bottom);
      if (sums === undefined) return undefined;
      this.#host.spend(sums.length);
      for (const one of sums) found.push(one);
    }
    return found;
  }

  findRow(column: number, value: IndexedValue, fromEnd: boolean): number | undefined {
    const { sheet, top, left, bottom } = this.area;
    const absolute = left + column;
    const cells = this.#book.sheet(sheet).column(absolute);
    if (cells === undefined) return -1;
    const slots = this.#book.indexes.find(cells, this.rows, this.#host.tick)?.slotsOf(value);
    if (slots === undefined) return undefined;
    const at = fromEnd ? indexOfSlot(slots, cells.from(bottom + 1)) - 1 : indexOfSlot(slots, cells.from(top));
    const found = slots[at] === undefined ? -1 : (cells.rows[slots[at]] as number);
    const row = found < top || found > bottom ? undefined : found;
    // A scan would reach a stale value before this row: then only a scan gives the correct result.
    const passed = fromEnd ? { top: row ?? top, bottom } : { top, bottom: row ?? bottom };
    const unknown = new UnknownCells(this.#book, { sheet, ...passed, left: absolute, right: absolute });
    if (unknown.next() >= 0) return undefined;
    return row === undefined ? -1 : row - top;
  }

  each(visit: (value: Exclude<Scalar, null>, row: number, column: number) => void): void {
    const { area } = this;
    this.#host.demand(area);
    const columns = [...this.#book.sheet(area.sheet).columns(area.left, area.right)];
    const [only] = columns;
    if (columns.length === 1 && only !== undefined) this.#eachOf(only[1], only[0] - area.left, visit);
    else this.#eachRow(columns, visit);
  }

  #eachOf(
    cells: Column,
    column: number,
    visit: (value: Exclude<Scalar, null>, row: number, column: number) => void,
  ): void {
    const { top, bottom } = this.area;
    const end = cells.from(bottom + 1);
    const start = cells.from(top);
    const { tick, spend } = this.#host;
    spend((end - start) / 16);
    for (let slot = start; slot < end; slot++) {
      tick();
      const value = cells.value(slot);
      if (value !== null) visit(value, (cells.rows[slot] as number) - top, column);
    }
  }

  /** Row by row through several columns, with a slot index for each. */
  #eachRow(
    columns: readonly (readonly [number, Column])[],
    visit: (value: Exclude<Scalar, null>, row: number, column: number) => void,
  ): void {
    const { top, left, bottom } = this.area;
    const slots = columns.map(([, cells]) => cells.from(top));
    const { tick, spend } = this.#host;
    for (let row = nextRow(columns, slots); row <= bottom; row = nextRow(columns, slots)) {
      spend(columns.length / 16);
      for (const [at, [absolute, cells]] of columns.entries()) {
        tick();
        const slot = slots[at] as number;
        if (slot >= cells.count || cells.rows[slot] !== row) continue;
        slots[at] = slot + 1;
        const value = cells.value(slot);
        if (value !== null) visit(value, row - top, absolute - left);
      }
    }
  }
}

function nextRow(columns: readonly (readonly [number, Column])[], slots: readonly number[]): number {
  let next = Number.POSITIVE_INFINITY;
  for (const [at, [, cells]] of columns.entries()) {
    const slot = slots[at] as number;
    if (slot < cells.count) next = Math.min(next, cells.rows[slot] as number);
  }
  return next;
}

/** The index of the first slot at or after `slot` in an ascending list; the length without one. */
function indexOfSlot(slots: Int32Array, slot: number): number {
  let [low, high] = [0, slots.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slots[middle] as number) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}
