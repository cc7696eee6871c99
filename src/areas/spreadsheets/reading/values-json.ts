import type { MostShown } from '../../../formulas/calculation.ts';
import { MOST_CELLS, MOST_CHARACTERS, tooMuch } from '../cells/grid.ts';
import type { RowText } from '../cells/row-text.ts';

const BETWEEN_ROWS = '],[';
const EMPTY_CELL = '"",';

/** Writes the values of a range as JSON, piece after piece: without trailing empty rows and cells, empty cells inside are "". */
export class ValuesJson {
  #text = '';
  #row = -1;
  /** The column behind what was written of the row. */
  #column = 0;
  #cells = 0;
  #characters = 0;

  /** How much it takes yet. */
  get room(): MostShown {
    return { cells: MOST_CELLS - this.#cells, characters: MOST_CHARACTERS - this.#characters };
  }

  /**
   * Writes so many cells of a row, from a column on, both counted from the corner of the range, behind all that was written.
   * Throws ApiError validation_failed when it becomes too much.
   */
  add(row: number, column: number, cells: RowText, count: number): void {
    const isNewRow = row > this.#row;
    const before = isNewRow ? 0 : this.#column;
    const end = column + count;
    this.#cells += (isNewRow ? row - this.#row : 0) + end - Math.max(1, before);
    this.#characters += cells.length;
    if (this.#cells > MOST_CELLS || this.#characters > MOST_CHARACTERS) throw tooMuch();
    const rowStart = this.#row < 0 ? `[[${BETWEEN_ROWS.repeat(row)}` : BETWEEN_ROWS.repeat(row - this.#row);
    const start = isNewRow ? rowStart : ',';
    this.#text += start + EMPTY_CELL.repeat(column - before) + cells;
    [this.#row, this.#column] = [row, end];
  }

  /** What was written since it was asked before. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** The rest, when all was added. */
  end(): string {
    return this.#row < 0 ? '[]' : `${this.take()}]]`;
  }
}
