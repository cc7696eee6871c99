import type { CellAddress } from '../cell-address.ts';
import type { CellCount } from '../cell-count.ts';
import { type CellInput, UnreadableWorkbook, type WorkbookCell } from '../workbook.ts';

/** Puts the cells of a sheet in order: those of a row may come in any, and of one that comes twice the last counts. */
export class SheetRows {
  readonly #count: CellCount;
  #row = -1;
  #cells = new Map<number, WorkbookCell>();
  #ended: WorkbookCell[] = [];

  constructor(count: CellCount) {
    this.#count = count;
  }

  /**
   * A cell without input and format is none. Throws UnreadableWorkbook when the row has ended before, or the cell is too
   * long or one too many.
   */
  add(address: CellAddress, input: CellInput | undefined, format: string | undefined): void {
    if (input !== undefined) this.#count.add(input, address);
    else if (format === undefined || !this.#count.addFormatted()) return;
    if (address.row !== this.#row) this.#begin(address.row);
    const { row, column } = address;
    this.#cells.set(column, format === undefined ? { row, column, input } : { row, column, input, format });
  }

  /** The cells of the rows that have ended since it was asked before. */
  take(): WorkbookCell[] {
    return this.#ended.splice(0);
  }

  /** Ends the last row. */
  end(): void {
    const columns = [...this.#cells.keys()];
    if (columns.some((column, i) => column < (columns[i - 1] ?? -1))) columns.sort((a, b) => a - b);
    for (const column of columns) {
      const cell = this.#cells.get(column);
      if (cell) this.#ended.push(cell);
    }
    this.#cells = new Map();
  }

  #begin(row: number): void {
    if (row < this.#row) throw new UnreadableWorkbook(`row ${row + 1} comes after row ${this.#row + 1}`);
    this.end();
    this.#row = row;
  }
}
