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

/** Counts the cells and characters of a workbook and rejects a workbook with too many. */
export class CellCount {
  #cells = 0;
  #length = 0;
  #onlyFormatted = 0;
  readonly #bytesRead: () => number;

  /** @param bytesRead the inflated bytes read so far: a short file may not expand to arbitrarily long texts */
  constructor(bytesRead: () => number) {
    this.#bytesRead = bytesRead;
  }

  /** Throws UnreadableWorkbook when the cell is too long or exceeds the number of cells. */
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

  /** Counts an empty cell with a number format; returns whether it is within the limit. */
  addFormatted(): boolean {
    return ++this.#onlyFormatted <= MAX_FORMATTED_EMPTY_CELLS;
  }
}

/** Throws UnreadableWorkbook when the text or formula is longer than a cell allows. */
export function refuseTooLong(input: string, { row, column }: CellAddress): void {
  if (input.length <= MAX_CELL_LENGTH) return;
  const address = `${columnLetters(column)}${row + 1}`;
  throw new UnreadableWorkbook(`cell ${address} holds more than ${MAX_CELL_LENGTH} characters`);
}
