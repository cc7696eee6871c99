import { KIND, NONE, SPILLED } from '../cells/column.ts';
import type { Dependents } from '../graph/dependents.ts';
import type { Area } from '../values.ts';
import type { Book } from './book.ts';
import { STATE } from './formulas.ts';

/** Stale formulas are counted by block of this many bits of the row. */
export const BLOCK_BITS = 8;

/** The stale formulas, and the propagation of staleness from a cell to its dependents. */
export class Staleness {
  /** Stale formulas in order of marking; some may have run already. */
  readonly queue: number[] = [];
  dependents: Dependents;
  readonly #book: Book;
  /** Areas whose dependents are not yet marked. */
  readonly #changed: Area[] = [];
  #wave = 0;
  /** Formulas excluded from this calculation, because they did not converge. */
  readonly pinned = new Set<number>();
  /** During a calculation a spilled array stays until its formula has a new result. */
  calculating = false;

  constructor(book: Book, dependents: Dependents) {
    this.#book = book;
    this.dependents = dependents;
  }

  /** Continues with rebuilt dependents and removes dead formulas from the queue. */
  restart(dependents: Dependents): void {
    this.dependents = dependents;
    const live = this.queue.filter((formula) => this.#book.formulas.state(formula) !== STATE.dead);
    this.queue.length = 0;
    for (const formula of live) this.queue.push(formula);
  }

  /** Starts a new wave: after formulas have run, ranges must be visited again. */
  startWave(): void {
    this.#wave++;
  }

  /** Marks the dependents of a cell as stale. */
  cellChanged(sheet: number, row: number, column: number): void {
    this.areaChanged({ sheet, top: row, left: column, bottom: row, right: column });
  }

  areaChanged(area: Area): void {
    this.#changed.push(area);
    for (let next = this.#changed.pop(); next !== undefined; next = this.#changed.pop()) {
      this.dependents.each(next, this.#wave, (formula) => this.#mark(formula));
    }
  }

  /** Marks a formula and its dependents as stale. */
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

  /** Sets the state of a formula that was calculated or removed. */
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

  /** Removes the spilled values of a formula and returns their area, including its own cell. */
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
