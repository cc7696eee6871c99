import type { CellAddress } from '../cell-address.ts';
import { parseAddress } from '../cell-address.ts';
import { MAX_COLUMNS } from '../limits.ts';

/**
 * The cells that the formula of another one fills: what the file keeps in them was computed. Asked in order of rows, so
 * that all that is kept is down to which row each column is filled.
 */
export class ArrayAreas {
  readonly #filledTo = new Int32Array(MAX_COLUMNS).fill(-1);

  /** Whether the formula of another cell fills this one. */
  fills({ row, column }: CellAddress): boolean {
    return (this.#filledTo[column] ?? -1) >= row;
  }

  /** Takes in the area of a formula, such as A1:B3. */
  add(area: string): void {
    const [first = '', last = first] = area.split(':');
    const start = parseAddress(first);
    const end = parseAddress(last);
    if (start && end) this.#filledTo.fill(end.row, start.column, end.column + 1);
  }
}
