import { CellError, ERROR, ERROR_CODES, type Scalar } from '../values.ts';

/** The kind of a cell's value, and a flag for a value spilled by another cell's formula; one byte. */
export const KIND = { empty: 0, number: 1, text: 2, false: 3, true: 4, error: 5 } as const;
export const SPILLED = 0x80;
export const KIND_BITS = 0x7f;

/** The texts of cells by number; numbers of removed texts are reused. */
export class Texts {
  readonly #texts: string[] = [];
  readonly #free: number[] = [];
  /** The characters of all stored texts. */
  characters = 0;

  get count(): number {
    return this.#texts.length;
  }

  add(text: string): number {
    this.characters += text.length;
    const at = this.#free.pop() ?? this.#texts.length;
    this.#texts[at] = text;
    return at;
  }

  get(at: number): string {
    return this.#texts[at] ?? '';
  }

  remove(at: number): void {
    this.characters -= this.get(at).length;
    this.#texts[at] = '';
    this.#free.push(at);
  }
}

/** No formula; also the end of a list. */
export const NONE = -1;

const GROWTH = 1.5;

/**
 * The cells of one column in order of rows, in flat arrays: a million cells are a few large objects. Contains the
 * cells with a value or a formula, and those that a formula references individually. A cell's slot changes when
 * cells above it are inserted.
 */
export class Column {
  count = 0;
  /** Incremented at each change of a value or a slot. */
  version = 0;
  rows = new Int32Array(4);
  kinds = new Uint8Array(4);
  numbers = new Float64Array(4);
  /** The formula of a cell, or the formula that spilled into it. */
  formulas = new Int32Array(4);
  /** The head of the list of formulas that reference the cell individually. */
  listeners = new Int32Array(4);
  /** The number of stale formulas by block of rows. */
  readonly stale = new Map<number, number>();
  /** The sums of complete blocks of rows, each valid until one of its cells changes. */
  readonly blockSums = new Map<number, readonly [number, number]>();
  /** An upper bound of the used slots. */
  #usedEnd = 0;
  readonly #texts: Texts;

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  /** The slot of the first cell at this row or below; `count` without one. */
  from(row: number): number {
    const first = this.rows[0] ?? 0;
    if (this.count === 0 || row <= first) return 0;
    const guess = row - first;
    if (guess < this.count && this.rows[guess] === row) return guess;
    let [low, high] = [0, Math.min(this.count, guess)];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.rows[middle] as number) < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The slot of a cell; NONE without one. */
  find(row: number): number {
    const slot = this.from(row);
    return slot < this.count && this.rows[slot] === row ? slot : NONE;
  }

  /** Inserts slots for the rows without one; `rows` must be ascending. */
  insert(rows: ArrayLike<number>): void {
    const missing = this.#missing(rows);
    if (missing.length === 0) return;
    this.version++;
    this.#reserve(this.count + missing.length);
    this.#usedEnd = Math.min(this.count, this.#usedEnd) + missing.length;
    let from = this.count - 1;
    let to = from + missing.length;
    this.count = to + 1;
    for (let next = missing.length - 1; next >= 0; to--) {
      const row = missing[next] as number;
      if (from >= 0 && (this.rows[from] as number) > row) this.#move(from--, to);
      else {
        this.#clear(to, row);
        next--;
      }
    }
  }

  #missing(rows: ArrayLike<number>): number[] {
    const missing: number[] = [];
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number;
      if (row !== rows[at - 1] && this.find(row) === NONE) missing.push(row);
    }
    return missing;
  }

  value(slot: number): Scalar {
    switch ((this.kinds[slot] as number) & KIND_BITS) {
      case KIND.number:
        return this.numbers[slot] as number;
      case KIND.text:
        return this.#texts.get(this.numbers[slot] as number);
      case KIND.false:
        return false;
      case KIND.true:
        return true;
      case KIND.error:
        return ERROR[ERROR_CODES[this.numbers[slot] as number] ?? '#ERROR!'];
      default:
        return null;
    }
  }

  /** Sets a value; the spill flag stays. */
  put(slot: number, value: Scalar): void {
    const before = this.kinds[slot] as number;
    this.version++;
    if (this.blockSums.size > 0) this.blockSums.delete((this.rows[slot] as number) >> 8);
    if ((before & KIND_BITS) === KIND.text) this.#texts.remove(this.numbers[slot] as number);
    const [kind, number] = this.#encode(value);
    this.kinds[slot] = (before & SPILLED) | kind;
    this.numbers[slot] = number;
    if (slot >= this.#usedEnd) this.#usedEnd = slot + 1;
  }

  /** The last row up to `limit` with a value or a formula; -1 without one. */
  lastUsed(limit: number): number {
    while (this.#usedEnd > 0 && !this.#isUsed(this.#usedEnd - 1)) this.#usedEnd--;
    let slot = Math.min(this.#usedEnd, this.from(limit + 1)) - 1;
    while (slot >= 0 && !this.#isUsed(slot)) slot--;
    return slot < 0 ? -1 : (this.rows[slot] as number);
  }

  /** Removes the references of formulas to its cells. */
  clearListeners(): void {
    this.listeners.fill(NONE);
  }

  #isUsed(slot: number): boolean {
    return (this.kinds[slot] as number) !== KIND.empty || (this.formulas[slot] as number) !== NONE;
  }

  #encode(value: Scalar): readonly [number, number] {
    if (typeof value === 'number') return [KIND.number, value];
    if (typeof value === 'string') return [KIND.text, this.#texts.add(value)];
    if (typeof value === 'boolean') return [value ? KIND.true : KIND.false, 0];
    if (value instanceof CellError) return [KIND.error, ERROR_CODES.indexOf(value.code)];
    return [KIND.empty, 0];
  }

  #reserve(count: number): void {
    if (count <= this.rows.length) return;
    const size = Math.ceil(count * (this.rows.length < 64 ? 1 : GROWTH));
    this.rows = growInto(this.rows, new Int32Array(size));
    this.kinds = growInto(this.kinds, new Uint8Array(size));
    this.numbers = growInto(this.numbers, new Float64Array(size));
    this.formulas = growInto(this.formulas, new Int32Array(size));
    this.listeners = growInto(this.listeners, new Int32Array(size));
  }

  #move(from: number, to: number): void {
    this.rows[to] = this.rows[from] as number;
    this.kinds[to] = this.kinds[from] as number;
    this.numbers[to] = this.numbers[from] as number;
    this.formulas[to] = this.formulas[from] as number;
    this.listeners[to] = this.listeners[from] as number;
  }

  #clear(slot: number, row: number): void {
    this.rows[slot] = row;
    this.kinds[slot] = KIND.empty;
    this.numbers[slot] = 0;
    this.formulas[slot] = NONE;
    this.listeners[slot] = NONE;
  }

  /** The size in bytes. */
  get bytes(): number {
    return this.rows.length * 21;
  }
}

function growInto<Numbers extends Int32Array | Uint8Array | Float64Array>(
  from: Numbers,
  to: Numbers,
): Numbers {
  to.set(from);
  return to;
}
