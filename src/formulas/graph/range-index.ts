import { MAX_COLUMNS, MAX_ROWS } from '../limits.ts';
import type { Area } from '../values.ts';

/** The formulas that reference all cells of one node rectangle. */
interface Node {
  readonly formulas: number[];
  /** The wave of the last visit: its formulas are already marked. */
  wave: number;
}

interface ColumnNode {
  readonly rows: Map<number, Node>;
  /** A bit for each existing node size of rows. */
  sizes: number;
}

/**
 * Finds the formulas whose ranges contain a cell without a scan of all ranges. A two-dimensional segment tree:
 * columns and rows are halved repeatedly. A range is stored at the fewest nodes that compose it; a cell visits the
 * nodes that contain it, at most 15 × 21, and only existing sizes. A whole column is one entry.
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

  /** Visits the formulas whose ranges intersect rows of a column, without nodes already visited in this wave. */
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

/** Nodes are numbered as in a heap: 1 is everything, 2 and 3 are its halves; the bit length gives the size. */
function sizeBit(half: number): number {
  return 1 << (31 - Math.clz32(half));
}

/** The fewest nodes that compose the range from `first` to `last` out of `size` (a power of two). */
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
