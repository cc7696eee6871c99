import { columnLetters } from '../../text/column-letters.ts';
import {
  type CellAddress,
  LENGTH_ALLOWANCE,
  MAX_CELL_LENGTH,
  MAX_CELLS,
  MAX_FORMATTED_EMPTY_CELLS,
  MAX_REPETITION,
  MAX_TOTAL_LENGTH,
  UnreadableWorkbook,
} from './workbook.ts';

/** Counts what cells of a workbook hold, and ends the reading of one that holds too much. */
export class CellCount {
  #cells = 0;
  #length = 0;
  #onlyFormatted = 0;
  readonly #bytesRead: () => number;

  /** Of a file of which so many bytes, inflated, were read by then: a short one does not stand for long texts without measure. */
  constructor(bytesRead: () => number) {
    this.#bytesRead = bytesRead;
  }

  /** Throws UnreadableWorkbook when the cell is too long, or one too many. */
  add(input: string | number | boolean, address: CellAddress): void {
    this.#cells++;
    if (this.#cells > MAX_CELLS) throw new UnreadableWorkbook(`it has more than ${MAX_CELLS} cells`);
    if (typeof input !== 'string') return;
    refuseTooLong(input, address);
    this.#length += input.length;
    if (this.#length <= LENGTH_ALLOWANCE) return;
    const most = Math.min(MAX_TOTAL_LENGTH, Math.max(LENGTH_ALLOWANCE, this.#bytesRead() * MAX_REPETITION));
    if (this.#length > most) {
      throw new UnreadableWorkbook(`its cells hold more than ${most} characters together`);
    }
  }

  /** Counts a cell that has a number format and nothing in it; answers whether there is room for it. */
  addFormatted(): boolean {
    return ++this.#onlyFormatted <= MAX_FORMATTED_EMPTY_CELLS;
  }
}

/** Throws UnreadableWorkbook when the text, or formula, is longer than a cell may hold. */
export function refuseTooLong(input: string, { row, column }: CellAddress): void {
  if (input.length <= MAX_CELL_LENGTH) return;
  const address = `${columnLetters(column)}${row + 1}`;
  throw new UnreadableWorkbook(`cell ${address} holds more than ${MAX_CELL_LENGTH} characters`);
}
