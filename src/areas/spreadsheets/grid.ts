import { ApiError } from '../../api/errors.ts';
import type { ShownValue } from '../../formulas/calculation.ts';
import { ROWS } from './a1.ts';
import { countCells, type RowText } from './row-text.ts';

/** So much fits into one answer: a whole column of cells, an empty row counted as one of them; and characters. */
const MOST_CELLS = ROWS;
const MOST_CHARACTERS = 64_000_000;

/** Rows of JSON as they are answered: without trailing empty rows and cells, empty cells inside are "". */
export class TextGrid {
  readonly #rows: RowText[] = [];
  readonly #ends: End[] = [];
  /** How many cells there are at least: pieces at the end of a row are counted as one until somebody has to know. */
  #cells = 0;
  #characters = 0;

  /**
   * Adds cells to a row, from a column behind those that it has, both counted from the corner of the range; how many
   * they are may be said. Throws ApiError validation_failed when it becomes too much.
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

/** The same of values that are no JSON yet. */
export class GridBuilder {
  readonly #rows: ShownValue[][] = [];
  #cells = 0;
  #characters = 0;

  /** Sets a cell, counted from the corner of the range. Throws ApiError validation_failed when it becomes too much. */
  set(row: number, column: number, value: ShownValue): void {
    this.#spend(row + 1 - this.#rows.length);
    while (this.#rows.length <= row) this.#rows.push([]);
    const cells = this.#rows[row] ?? [];
    this.#spend(column + 1 - Math.max(1, cells.length));
    while (cells.length < column) cells.push('');
    cells[column] = value;
    if (typeof value === 'string') this.#characters += value.length;
    if (this.#characters > MOST_CHARACTERS) throw tooMuch();
  }

  rows(): ShownValue[][] {
    return this.#rows;
  }

  #spend(cells: number): void {
    if (cells > 0) this.#cells += cells;
    if (this.#cells > MOST_CELLS) throw tooMuch();
  }
}

function tooMuch(): ApiError {
  const message = `The range holds more than one answer may: ${MOST_CELLS} cells, or ${MOST_CHARACTERS} characters. Read it in parts.`;
  return new ApiError('validation_failed', `range: ${message}`, {
    errors: [{ parameter: 'range', code: 'too_large', message }],
  });
}
