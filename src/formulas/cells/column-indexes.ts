import type { Column } from './column.ts';
import { ColumnIndex } from './column-index.ts';

/** A column is indexed once so many times its cells were walked. */
const WALKS = 2;
/** Cells that all indexes of a calculation may hold together: some 100 bytes each where all are texts that differ. */
const MAX_CELLS = 2_000_000;
/** Columns that change all the time are indexed ever more rarely. */
const MAX_DROPS = 20;

interface Known {
  version: number;
  walked: number;
  drops: number;
  index: ColumnIndex | undefined;
  cells: number;
}

/** Indexes of the columns in which values are looked for again and again; each holds until a cell of its column changes. */
export class ColumnIndexes {
  readonly #known = new Map<Column, Known>();
  #cells = 0;

  /**
   * The index of a column, made when it has been walked often enough to pay for it; undefined before.
   * @param cells how many a walk in its place would look at
   * @param look called for each cell that is indexed; an index is made whole or, where it throws, not at all
   */
  find(column: Column, cells: number, look: () => void): ColumnIndex | undefined {
    const known = this.#knownOf(column);
    if (known.index !== undefined) return known.index;
    known.walked += Math.min(cells, column.count);
    if (known.walked < column.count * WALKS * 2 ** known.drops) return undefined;
    return this.#make(column, known, look);
  }

  clear(): void {
    this.#known.clear();
    this.#cells = 0;
  }

  #knownOf(column: Column): Known {
    const { version } = column;
    const known = this.#known.get(column) ?? { version, walked: 0, drops: 0, index: undefined, cells: 0 };
    if (known.version !== version) this.#drop(known);
    known.version = version;
    this.#known.set(column, known);
    return known;
  }

  #drop(known: Known): void {
    known.walked = 0;
    if (known.index === undefined) return;
    known.index = undefined;
    known.drops = Math.min(known.drops + 1, MAX_DROPS);
    this.#cells -= known.cells;
  }

  #make(column: Column, known: Known, look: () => void): ColumnIndex {
    if (this.#cells + column.count > MAX_CELLS) this.clear();
    known.index = new ColumnIndex(column, look);
    known.cells = column.count;
    this.#cells += column.count;
    this.#known.set(column, known);
    return known.index;
  }
}
