import { ApiError } from '../../../contract/errors.ts';
import { endOfString } from '../../../contract/json.ts';
import { ROWS } from './a1.ts';
import { BLOCK_COLUMNS, FULL } from './block.ts';

/** Consecutive cells of a row as JSON without brackets, as blocks store them: empty cells are "", none at the end. */
export type RowText = string;

const QUOTE = 0x22;
const FULL_CODE = FULL.charCodeAt(0);
const EMPTY_END = ',""';

/** Receives cells of a row of a block, and their number if it is known without counting. */
type ShowRow = (row: number, cells: RowText, count?: number) => void;

/** Calls `show` for each nonempty row above `end` with the cells in some columns of a stored block. */
export function eachRow(
  block: string,
  { from, count, end }: { from: number; count: number; end: number },
  show: ShowRow,
): void {
  const isToTheEnd = from + count >= BLOCK_COLUMNS;
  let start = 0;
  for (let row = 0; row < end && start < block.length; row++) {
    const next = block.indexOf('\n', start);
    const lineEnd = next === -1 ? block.length : next;
    const isFull = block.charCodeAt(lineEnd - 1) === FULL_CODE;
    const line = block.slice(start, isFull ? lineEnd - FULL.length : lineEnd);
    const cells = from === 0 && isToTheEnd ? line : cellsOf(line, from, count);
    if (cells !== '') show(row, cells, isFull && isToTheEnd ? count : undefined);
    start = lineEnd + 1;
  }
}

/** The cells of a row starting at the cell `from`, at most `count` (at least one). */
export function cellsOf(row: RowText, from: number, count: number): RowText {
  const start = startOf(row, from, 0);
  if (start >= row.length) return '';
  if (from + count >= BLOCK_COLUMNS) return row.slice(start);
  return withoutEmptyEnd(row.slice(start, startOf(row, count, start) - 1));
}

/** Number of cells. */
export function countCells(row: RowText): number {
  if (row === '') return 0;
  let count = 1;
  for (let at = nextComma(row, 0); at < row.length; at = nextComma(row, at + 1)) count++;
  return count;
}

/** The offset of the cell `cells` cells after the one that starts at an offset; beyond the end of the row if there is none. */
function startOf(row: RowText, cells: number, offset: number): number {
  let at = offset;
  for (let i = 0; i < cells && at < row.length; i++) at = nextComma(row, at) + 1;
  return at;
}

/** The offset of the comma after the cell that starts at `start`; the length of the row if it is the last cell. */
function nextComma(row: RowText, start: number): number {
  const isText = row.charCodeAt(start) === QUOTE;
  const comma = row.indexOf(',', isText ? endOfString(row, start) : start);
  return comma === -1 ? row.length : comma;
}

/** A quote within a text is escaped, so `,""` always is an empty cell. */
function withoutEmptyEnd(row: RowText): RowText {
  let end = row.length;
  while (row.endsWith(EMPTY_END, end)) end -= EMPTY_END.length;
  const rest = row.slice(0, end);
  return rest === '""' ? '' : rest;
}

/** The limits of one answer: as many cells as a column has (an empty row counts as one cell), and a number of characters. */
export const MOST_CELLS = ROWS;
export const MOST_CHARACTERS = 64_000_000;

/** Collects rows as the JSON of an answer: without trailing empty rows and cells, empty cells inside are "". */
export class TextGrid {
  readonly #rows: RowText[] = [];
  readonly #ends: End[] = [];
  /** Lower bound of the number of cells: a row counts only one cell for its last piece until the exact number is needed. */
  #cells = 0;
  #characters = 0;
  readonly #room: number;

  /** `room`: the maximum number of characters, if it is less than the limit of an answer. */
  constructor(room: number = MOST_CHARACTERS) {
    this.#room = room;
  }

  /**
   * Adds cells to a row, starting at a column behind its present cells. Row and column count from the corner of the
   * range; `count` is the number of cells if it is known. Throws ApiError validation_failed above the limits of an
   * answer, and GridFull.
   */
  add(row: number, column: number, cells: RowText, count?: number): void {
    while (this.#rows.length <= row) this.#addEmptyRow();
    const before = this.#ends[row] ?? 0;
    const width = widthOf(before);
    const end = count === undefined ? { column, cells } : column + count;
    this.#spend(atLeast(end) - atLeast(before), cells.length);
    const added = column > width ? '"",'.repeat(column - width) + cells : cells;
    this.#rows[row] = width > 0 ? `${this.#rows[row]},${added}` : added;
    this.#ends[row] = end;
  }

  /** The cells of each row. Trailing empty cells may be missing. */
  rows(): readonly RowText[] {
    return this.#rows;
  }

  /** Throws ApiError validation_failed above the limits of an answer. */
  json(): string {
    // A cell has at least one character. If even cells plus characters stay below the limit, the exact count is not
    // needed.
    if (this.#cells + this.#characters > MOST_CELLS && this.#count() > MOST_CELLS) throw rangeTooLarge();
    if (this.#rows.length === 0) return '[]';
    // `join` instead of concatenation: a cached concatenated text would keep the blocks reachable that its pieces were
    // cut from.
    return ['[[', this.#rows.join('],['), ']]'].join('');
  }

  /** Number of cells. */
  #count(): number {
    return this.#ends.reduce<number>((count, end) => count + Math.max(1, widthOf(end)), 0);
  }

  #addEmptyRow(): void {
    this.#rows.push('');
    this.#ends.push(0);
    this.#spend(1, 0);
  }

  #spend(cells: number, characters: number): void {
    this.#cells += cells;
    this.#characters += characters;
    if (this.#cells > MOST_CELLS || this.#characters > MOST_CHARACTERS) throw rangeTooLarge();
    if (this.#characters > this.#room) throw new GridFull('the grid holds no more');
  }
}

/** The column behind the cells of a row, or the last piece of the row while its cells have not been counted. */
type End = number | Piece;

interface Piece {
  readonly column: number;
  readonly cells: RowText;
}

function widthOf(end: End): number {
  return typeof end === 'number' ? end : end.column + countCells(end.cells);
}

/** Lower bound of the number of cells of a row. An empty row counts as one cell. */
function atLeast(end: End): number {
  return typeof end === 'number' ? Math.max(1, end) : end.column + 1;
}

/** A grid would exceed its maximum number of characters. */
export class GridFull extends Error {}

export function rangeTooLarge(): ApiError {
  const message = `The range holds more than one answer may: ${MOST_CELLS} cells, or ${MOST_CHARACTERS} characters. Read it in parts.`;
  return new ApiError('validation_failed', `range: ${message}`, {
    errors: [{ parameter: 'range', code: 'too_large', message }],
  });
}
