import type { HiddenRows, RowRuns } from '../calculation.ts';
import type { Area, Scalar } from '../values.ts';
import { Column, NONE, type Texts } from './column.ts';

/** Why a row is hidden: by a filter or by hand. */
export type HiddenReason = keyof HiddenRows;

/** The cells of one sheet, by columns. */
export class Sheet {
  readonly #columns = new Map<number, Column>();
  /** The existing columns, ascending. */
  readonly #order: number[] = [];
  readonly #texts: Texts;
  readonly #hidden: HiddenRows | undefined;

  constructor(texts: Texts, hidden: HiddenRows | undefined) {
    this.#texts = texts;
    this.#hidden = hidden;
  }

  /** Why a row is hidden; undefined for a shown one. */
  hiddenReason(row: number): HiddenReason | undefined {
    if (this.#hidden === undefined) return undefined;
    if (isIn(this.#hidden.byFilter, row)) return 'byFilter';
    return isIn(this.#hidden.byHand, row) ? 'byHand' : undefined;
  }

  column(at: number): Column | undefined {
    return this.#columns.get(at);
  }

  /** The column at this index, created on demand. */
  ensure(at: number): Column {
    const found = this.#columns.get(at);
    if (found !== undefined) return found;
    const made = new Column(this.#texts);
    this.#columns.set(at, made);
    this.#order.splice(this.#firstFrom(at), 0, at);
    return made;
  }

  value(row: number, column: number): Scalar {
    const cells = this.#columns.get(column);
    if (cells === undefined) return null;
    const slot = cells.find(row);
    return slot === NONE ? null : cells.value(slot);
  }

  /** The existing columns from `left` to `right`, with their indexes. */
  *columns(left: number, right: number): Generator<readonly [number, Column]> {
    for (let at = this.#firstFrom(left); at < this.#order.length; at++) {
      const column = this.#order[at] as number;
      if (column > right) return;
      yield [column, this.#columns.get(column) as Column];
    }
  }

  /** The number of used rows and columns of an area, up to its last non-empty cells. */
  used(area: Area): { rows: number; columns: number } {
    let [rows, columns] = [0, 0];
    for (const [column, cells] of this.columns(area.left, area.right)) {
      const last = cells.lastUsed(area.bottom);
      if (last < area.top) continue;
      rows = Math.max(rows, last - area.top + 1);
      columns = column - area.left + 1;
    }
    return { rows, columns };
  }

  #firstFrom(column: number): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#order[middle] as number) < column) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  get bytes(): number {
    let bytes = 0;
    for (const cells of this.#columns.values()) bytes += cells.bytes;
    return bytes;
  }
}

/** Whether a row is in one of the runs. */
export function isIn(runs: RowRuns, row: number): boolean {
  let [low, high] = [0, runs.length / 2];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[2 * middle] as number) <= row) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return false;
  return row < (runs[2 * low - 2] as number) + (runs[2 * low - 1] as number);
}
