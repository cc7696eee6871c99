import { ApiError } from '../../../contract/errors.ts';
import { endOfString } from '../../../contract/json.ts';
import { ROWS } from './a1.ts';
import { BLOCK_COLUMNS, FULL } from './block.ts';

/** Neighbouring cells of a row as JSON without brackets, as blocks hold them: empty ones are "", and none at the end. */
export type RowText = string;

const QUOTE = 0x22;
const FULL_CODE = FULL.charCodeAt(0);
const EMPTY_END = ',""';

/** Shows cells of a row of a block; and how many there are, where nobody has to count them. */
type ShowRow = (row: number, cells: RowText, count?: number) => void;

/** Shows some columns of a stored block, row by row down to the one before `end`, where they hold something. */
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

/** The cells of a row from one on, at most so many, at least one. */
export function cellsOf(row: RowText, from: number, count: number): RowText {
  const start = startOf(row, from, 0);
  if (start >= row.length) return '';
  if (from + count >= BLOCK_COLUMNS) return row.slice(start);
  return withoutEmptyEnd(row.slice(start, startOf(row, count, start) - 1));
}

/** How many cells there are. */
export function countCells(row: RowText): number {
  if (row === '') return 0;
  let count = 1;
  for (let at = nextComma(row, 0); at < row.length; at = nextComma(row, at + 1)) count++;
  return count;
}

/** Where the cell begins that comes so many after the one at a place; behind the end where there is none. */
function startOf(row: RowText, cells: number, place: number): number {
  let at = place;
  for (let i = 0; i < cells && at < row.length; i++) at = nextComma(row, at) + 1;
  return at;
}

/** Where the cell that begins at a place has its comma behind it; the end of the row where it is the last. */
function nextComma(row: RowText, start: number): number {
  const isText = row.charCodeAt(start) === QUOTE;
  const comma = row.indexOf(',', isText ? endOfString(row, start) : start);
  return comma === -1 ? row.length : comma;
}

/** A quote within a text is escaped: what looks like an empty one is one. */
function withoutEmptyEnd(row: RowText): RowText {
  let end = row.length;
  while (row.endsWith(EMPTY_END, end)) end -= EMPTY_END.length;
  const rest = row.slice(0, end);
  return rest === '""' ? '' : rest;
}

/** So much fits into one answer: a whole column of cells, an empty row counted as one of them; and characters. */
export const MOST_CELLS = ROWS;
export const MOST_CHARACTERS = 64_000_000;

/** Rows of JSON as they are answered: without trailing empty rows and cells, empty cells inside are "". */
export class TextGrid {
  readonly #rows: RowText[] = [];
  readonly #ends: End[] = [];
  /** How many cells there are at least: pieces at the end of a row are counted as one until somebody has to know. */
  #cells = 0;
  #characters = 0;
  readonly #room: number;

  /** `room`: characters that it may hold, where that is less than an answer may have. */
  constructor(room: number = MOST_CHARACTERS) {
    this.#room = room;
  }

  /**
   * Adds cells to a row, from a column behind those that it has, both counted from the corner of the range; how many
   * they are may be said. Throws ApiError validation_failed when it becomes too much, and GridFull.
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

  /** Each as its cells; those at the end that are empty may be missing. */
  rows(): readonly RowText[] {
    return this.#rows;
  }

  /** Throws ApiError validation_failed when it is too much. */
  json(): string {
    // A cell has a character at least: where not even those are too many, nobody has to count.
    if (this.#cells + this.#characters > MOST_CELLS && this.#count() > MOST_CELLS) throw tooMuch();
    if (this.#rows.length === 0) return '[]';
    // Joined and not added up: a text that is kept would hold on to the blocks that its pieces were cut from.
    return ['[[', this.#rows.join('],['), ']]'].join('');
  }

  /** How many cells there are. */
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
    if (this.#cells > MOST_CELLS || this.#characters > MOST_CHARACTERS) throw tooMuch();
    if (this.#characters > this.#room) throw new GridFull('the grid holds no more');
  }
}

/** The column behind the cells of a row; or the piece that was added last, where nobody has counted its cells. */
type End = number | Piece;

interface Piece {
  readonly column: number;
  readonly cells: RowText;
}

function widthOf(end: End): number {
  return typeof end === 'number' ? end : end.column + countCells(end.cells);
}

/** How many cells a row has at least: an empty one is counted as one of them. */
function atLeast(end: End): number {
  return typeof end === 'number' ? Math.max(1, end) : end.column + 1;
}

/** A grid would have more characters than it may hold. */
export class GridFull extends Error {}

export function tooMuch(): ApiError {
  const message = `The range holds more than one answer may: ${MOST_CELLS} cells, or ${MOST_CHARACTERS} characters. Read it in parts.`;
  return new ApiError('validation_failed', `range: ${message}`, {
    errors: [{ parameter: 'range', code: 'too_large', message }],
  });
}
