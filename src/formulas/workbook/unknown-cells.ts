import type { Column } from '../cells/column.ts';
import { SPILLED } from '../cells/kinds.ts';
import type { Area } from '../values.ts';
import type { Book } from './book.ts';
import { STATE } from './formulas.ts';
import { BLOCK_BITS } from './staleness.ts';

/** Goes through the formulas of an area that are not known yet, column by column, onwards only. */
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

  /** The next formula; -1 when all are known. Until it is, it is answered again. */
  next(): number {
    for (const [place, cells] of this.#book.sheet(this.#area.sheet).columns(this.#column, this.#area.right)) {
      if (place !== this.#column) {
        this.#column = place;
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
