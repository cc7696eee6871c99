import { foldCase } from '../operators.ts';
import { CellError } from '../values.ts';
import { type Column, KIND, KIND_BITS } from './column.ts';

const BLOCK_BITS = 8;

/**
 * Numbers with the same sum as the rows of a column; undefined when they contain an error. The sum of each
 * complete block of rows is cached until a cell in the block changes: 50,000 running totals would otherwise take a
 * billion additions.
 */
export function sumsOf(cells: Column, top: number, bottom: number): readonly number[] | undefined {
  const found: number[] = [];
  for (let row = top; row <= bottom; ) {
    const slot = cells.from(row);
    if (slot >= cells.count) break;
    const first = Math.max(row, cells.rows[slot] as number);
    const start = (first >> BLOCK_BITS) << BLOCK_BITS;
    const end = Math.min(start + (1 << BLOCK_BITS) - 1, bottom);
    const whole = start >= top && end < bottom;
    const numbers = whole ? blockSum(cells, start >> BLOCK_BITS) : numbersIn(cells, first, end);
    if (numbers === undefined) return undefined;
    for (const number of numbers) found.push(number);
    row = end + 1;
  }
  return found;
}

function blockSum(cells: Column, block: number): readonly number[] | undefined {
  const known = cells.blockSums.get(block);
  if (known !== undefined) return known;
  const numbers = numbersIn(cells, block << BLOCK_BITS, ((block + 1) << BLOCK_BITS) - 1);
  const sum = numbers === undefined ? undefined : compensatedSum(numbers);
  if (sum !== undefined) cells.blockSums.set(block, sum);
  return sum;
}

function numbersIn(cells: Column, top: number, bottom: number): number[] | undefined {
  const numbers: number[] = [];
  for (let slot = cells.from(top); slot < cells.count && (cells.rows[slot] as number) <= bottom; slot++) {
    const kind = (cells.kinds[slot] as number) & KIND_BITS;
    if (kind === KIND.error) return undefined;
    if (kind === KIND.number) numbers.push(cells.numbers[slot] as number);
  }
  return numbers;
}

/** The compensated sum: the sum and its rounding error, so that sums of sums stay exact too. */
function compensatedSum(numbers: readonly number[]): readonly [number, number] | undefined {
  let [total, lost] = [0, 0];
  for (const number of numbers) {
    const next = total + number;
    lost += Math.abs(total) >= Math.abs(number) ? total - next + number : number - next + total;
    total = next;
  }
  return Number.isFinite(lost) ? [total, lost] : undefined;
}

/** Values that an index contains: neither errors nor empty cells. */
export type IndexedValue = number | string | boolean;

const NONE = new Int32Array(0);

/** The slots of each value of a column at the time of indexing; texts are case-insensitive. */
class ColumnIndex {
  readonly #groups = new Map<IndexedValue, number>();
  /** Slots, grouped by value, ascending within a group. */
  readonly #slots: Int32Array;
  /** The start of each group in `#slots`, and the end of the last. */
  readonly #starts: Int32Array;

  constructor(cells: Column, tick: () => void) {
    const groupOf = this.#groupsOf(cells, tick);
    this.#starts = startsOf(groupOf, this.#groups.size);
    this.#slots = new Int32Array(this.#starts.at(-1) ?? 0);
    const next = this.#starts.slice();
    for (const [slot, group] of groupOf.entries()) {
      if (group >= 0) this.#slots[(next[group] as number)++] = slot;
    }
  }

  /** The slots of a value, ascending. */
  slotsOf(value: IndexedValue): Int32Array {
    const group = this.#groups.get(keyOf(value));
    return group === undefined ? NONE : this.#slots.subarray(this.#starts[group], this.#starts[group + 1]);
  }

  #groupsOf(cells: Column, tick: () => void): Int32Array {
    const groupOf = new Int32Array(cells.count).fill(-1);
    for (let slot = 0; slot < cells.count; slot++) {
      tick();
      const value = cells.value(slot);
      if (value === null || value instanceof CellError) continue;
      const key = keyOf(value);
      const group = this.#groups.get(key) ?? this.#groups.size;
      if (group === this.#groups.size) this.#groups.set(key, group);
      groupOf[slot] = group;
    }
    return groupOf;
  }
}

function startsOf(groupOf: Int32Array, groups: number): Int32Array {
  const starts = new Int32Array(groups + 1);
  for (const group of groupOf) if (group >= 0) starts[group + 1] = (starts[group + 1] as number) + 1;
  for (let group = 0; group < groups; group++) {
    starts[group + 1] = (starts[group + 1] as number) + (starts[group] as number);
  }
  return starts;
}

function keyOf(value: IndexedValue): IndexedValue {
  return typeof value === 'string' ? foldCase(value) : value;
}

/** A column is indexed after scans of this multiple of its cells. */
const WALKS = 2;
/** Most cells of all indexes of a calculation, at about 100 bytes each when all texts differ. */
const MAX_CELLS = 2_000_000;
/** Limit of the back-off for columns that change often: each change doubles the scans before the next index. */
const MAX_DROPS = 20;

interface Known {
  version: number;
  walked: number;
  drops: number;
  index: ColumnIndex | undefined;
  cells: number;
}

/** Indexes of columns with repeated lookups; each is valid until a cell of its column changes. */
export class ColumnIndexes {
  readonly #known = new Map<Column, Known>();
  #cells = 0;

  /**
   * The index of a column, built once enough scans have paid for it; undefined before.
   * @param cells the number of cells that a scan would visit
   * @param tick called for each indexed cell; when it throws, no index is stored
   */
  find(column: Column, cells: number, tick: () => void): ColumnIndex | undefined {
    const known = this.#knownOf(column);
    if (known.index !== undefined) return known.index;
    known.walked += Math.min(cells, column.count);
    if (known.walked < column.count * WALKS * 2 ** known.drops) return undefined;
    return this.#make(column, known, tick);
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

  #make(column: Column, known: Known, tick: () => void): ColumnIndex {
    if (this.#cells + column.count > MAX_CELLS) this.clear();
    known.index = new ColumnIndex(column, tick);
    known.cells = column.count;
    this.#cells += column.count;
    this.#known.set(column, known);
    return known.index;
  }
}
