import { BLOCK_COLUMNS, type CellValue, FULL, isFormula, rowsOf } from './block.ts';

/** A stored block whose cells are being changed: of its rows only those that are looked at are read and written anew. */
export class OpenBlock {
  readonly #texts: string[];
  /** By their numbers, those that were looked at; "" is an empty cell. */
  readonly #rows: (CellValue[] | undefined)[] = [];

  constructor(text: string) {
    this.#texts = rowsOf(text);
  }

  /** Fills the cell at an offset; `undefined` empties it. Answers what it held; undefined where it was empty. */
  set(offset: number, input: CellValue | undefined): CellValue | undefined {
    const cells = this.#row(Math.floor(offset / BLOCK_COLUMNS));
    const column = offset % BLOCK_COLUMNS;
    const before = cells[column];
    while (cells.length < column) cells.push('');
    cells[column] = input ?? '';
    return before === '' ? undefined : before;
  }

  /** The block as it is to be stored. */
  text(): string {
    const texts = this.#texts;
    for (const [row, cells] of this.#rows.entries()) {
      if (cells === undefined) continue;
      while (texts.length <= row) texts.push('');
      texts[row] = textOf(cells);
    }
    return texts.slice(0, texts.findLastIndex((text) => text !== '') + 1).join('\n');
  }

  #row(row: number): CellValue[] {
    this.#rows[row] ??= cellsOf(this.#texts[row] ?? '');
    return this.#rows[row];
  }
}

/** How many formulas a stored block holds. */
export function countFormulas(text: string): number {
  // A formula is a text that begins with "=": where none does, no cell has to be read.
  if (!text.includes('"=')) return 0;
  return rowsOf(text).reduce((count, row) => count + cellsOf(row).filter(isFormula).length, 0);
}

function cellsOf(row: string): CellValue[] {
  return JSON.parse(`[${row}]`) as CellValue[];
}

function textOf(cells: readonly CellValue[]): string {
  const used = cells.findLastIndex((cell) => cell !== '') + 1;
  const text = JSON.stringify(cells.slice(0, used)).slice(1, -1);
  return used === BLOCK_COLUMNS ? text + FULL : text;
}
