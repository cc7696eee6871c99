import { KIND, NONE, SPILLED } from '../cells/column.ts';
import type { Dependents } from '../graph/dependents.ts';
import type { Area } from '../values.ts';
import type { Book } from './book.ts';
import { STATE } from './formulas.ts';

/** Rows of one block, for which formulas that are not known are counted. */
export const BLOCK_BITS = 8;

/** Which formulas must run, and how that spreads from a cell to all that depends on it. */
export class Staleness {
  /** Formulas that must run, in the order in which that was found; some may have run already. */
  readonly queue: number[] = [];
  dependents: Dependents;
  readonly #book: Book;
  /** Rectangles and cells whose dependents are still to be marked. */
  readonly #changed: Area[] = [];
  #wave = 0;
  /** Formulas that run no more in this calculation, for they never came to rest. */
  readonly pinned = new Set<number>();
  /** While formulas run, what an array has spilled stays until it comes to something else. */
  calculating = false;

  constructor(book: Book, dependents: Dependents) {
    this.#book = book;
    this.dependents = dependents;
  }

  /** Goes on with lists of dependents made anew, in which formulas that are gone are named no more. */
  restart(dependents: Dependents): void {
    this.dependents = dependents;
    const live = this.queue.filter((formula) => this.#book.formulas.state(formula) !== STATE.dead);
    this.queue.length = 0;
    for (const formula of live) this.queue.push(formula);
  }

  /** After formulas have run, ranges that were marked before must be marked anew. */
  startWave(): void {
    this.#wave++;
  }

  /** What depends on a cell is not known any more. */
  cellChanged(sheet: number, row: number, column: number): void {
    this.areaChanged({ sheet, top: row, left: column, bottom: row, right: column });
  }

  areaChanged(area: Area): void {
    this.#changed.push(area);
    for (let next = this.#changed.pop(); next !== undefined; next = this.#changed.pop()) {
      this.dependents.each(next, this.#wave, (formula) => this.#mark(formula));
    }
  }

  /** A formula must run, and so must all that depends on it. */
  formulaChanged(formula: number): void {
    this.#mark(formula);
    const last = this.#changed.pop();
    if (last !== undefined) this.areaChanged(last);
  }

  #mark(formula: number): void {
    const { formulas } = this.#book;
    if (formulas.state(formula) !== STATE.clean || this.pinned.has(formula)) return;
    formulas.setState(formula, STATE.stale);
    this.queue.push(formula);
    const { sheet, row, column } = this.#book.cellOf(formula);
    this.#count(sheet, row, column, 1);
    const spilled = this.calculating ? this.#book.spills.get(formula) : this.unspill(formula);
    this.#changed.push(spilled ?? { sheet, top: row, left: column, bottom: row, right: column });
  }

  /** A formula has a value, or its cell no formula any more. */
  settle(formula: number, state: number): void {
    const { sheet, row, column } = this.#book.cellOf(formula);
    if (this.#book.formulas.state(formula) !== STATE.clean) this.#count(sheet, row, column, -1);
    this.#book.formulas.setState(formula, state);
  }

  #count(sheet: number, row: number, column: number, change: number): void {
    const stale = this.#book.sheet(sheet).ensure(column).stale;
    const block = row >> BLOCK_BITS;
    const count = (stale.get(block) ?? 0) + change;
    if (count === 0) stale.delete(block);
    else stale.set(block, count);
  }

  /** Takes back what a formula has spilled: it may not come to that again. The area that it had, with its own cell. */
  unspill(formula: number): Area | undefined {
    const area = this.#book.spills.get(formula);
    if (area === undefined) return undefined;
    this.#book.spills.delete(formula);
    for (const [, cells] of this.#book.sheet(area.sheet).columns(area.left, area.right)) {
      for (let slot = cells.from(area.top); slot < cells.count; slot++) {
        if ((cells.rows[slot] as number) > area.bottom) break;
        if (cells.formulas[slot] !== formula || ((cells.kinds[slot] as number) & SPILLED) === 0) continue;
        cells.put(slot, null);
        cells.kinds[slot] = KIND.empty;
        cells.formulas[slot] = NONE;
      }
    }
    return area;
  }
}
