import { MAX_COLUMNS, MAX_ROWS } from '../limits.ts';
import type { Area } from '../values.ts';

/** Formulas that name all cells of one rectangle of the grid of halves. */
interface Node {
  readonly formulas: number[];
  /** In which wave it was visited last: all in it are marked already. */
  wave: number;
}

interface ColumnNode {
  readonly rows: Map<number, Node>;
  /** A bit for each size of rows that occurs. */
  sizes: number;
}

/**
 * Finds the formulas that name a cell within a range, without a walk over all ranges. Columns and rows are halved again
 * and again, as in a segment tree; a range is kept at the fewest halves that make it up, a cell looks at those that hold
 * it: at most 15 times 21 places, and only sizes that occur. A whole column is one entry.
 */
export class RangeIndex {
  readonly #columns = new Map<number, ColumnNode>();
  #sizes = 0;
  entries = 0;

  add(area: Area, formula: number): void {
    const rows = halves(area.top, area.bottom, MAX_ROWS);
    for (const half of halves(area.left, area.right, MAX_COLUMNS)) {
      this.#sizes |= sizeBit(half);
      const column = this.#columnNode(half);
      for (const row of rows) this.#put(column, row, formula);
    }
  }

  #columnNode(half: number): ColumnNode {
    const found = this.#columns.get(half);
    if (found !== undefined) return found;
    const made = { rows: new Map<number, Node>(), sizes: 0 };
    this.#columns.set(half, made);
    return made;
  }

  #put(column: ColumnNode, row: number, formula: number): void {
    column.sizes |= sizeBit(row);
    const node = column.rows.get(row);
    if (node === undefined) column.rows.set(row, { formulas: [formula], wave: -1 });
    else node.formulas.push(formula);
    this.entries++;
  }

  /** Visits the formulas whose ranges meet rows of a column, those that the same wave has seen before left out. */
  eachBetween(
    top: number,
    bottom: number,
    column: number,
    wave: number,
    visit: (formula: number) => void,
  ): void {
    for (let half = MAX_COLUMNS + column; half > 0; half >>= 1) {
      const node = (this.#sizes & sizeBit(half)) === 0 ? undefined : this.#columns.get(half);
      if (node === undefined) continue;
      if (node.rows.size > bottom - top) {
        for (let row = top; row <= bottom; row++) eachRow(node, row, wave, visit);
      } else eachMeeting(node, top, bottom, wave, visit);
    }
  }
}

function eachRow(column: ColumnNode, row: number, wave: number, visit: (formula: number) => void): void {
  for (let half = MAX_ROWS + row; half > 0; half >>= 1) {
    if ((column.sizes & sizeBit(half)) === 0) continue;
    const node = column.rows.get(half);
    if (node !== undefined) visitNode(node, wave, visit);
  }
}

function eachMeeting(
  column: ColumnNode,
  top: number,
  bottom: number,
  wave: number,
  visit: (formula: number) => void,
): void {
  for (const [half, node] of column.rows) {
    const height = MAX_ROWS / sizeBit(half);
    const first = half * height - MAX_ROWS;
    if (first <= bottom && first + height > top) visitNode(node, wave, visit);
  }
}

function visitNode(node: Node, wave: number, visit: (formula: number) => void): void {
  if (node.wave === wave) return;
  node.wave = wave;
  for (const formula of node.formulas) visit(formula);
}

/** Halves are numbered as in a heap: 1 is all, 2 and 3 its halves; the length of a number tells its size. */
function sizeBit(half: number): number {
  return 1 << (31 - Math.clz32(half));
}

/** The fewest halves that make up all from `first` to `last` of `size` places, which is a power of two. */
function halves(first: number, last: number, size: number): number[] {
  const found: number[] = [];
  let [low, high] = [first + size, last + size + 1];
  while (low < high) {
    if (low % 2 === 1) found.push(low++);
    if (high % 2 === 1) found.push(--high);
    low /= 2;
    high /= 2;
  }
  return found;
}
