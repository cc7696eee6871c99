import { BLOCK_COLUMNS, type CellValue, FULL, isFormula, rowsOf } from './block.ts';

/** A stored block whose cells are being changed: of its rows only those that are looked at are read and written anew. */
export class OpenBlock {
  readonly #texts: string[];
  /** By their numbers, those that were looked at; "" is an empty cell. */
  readonly #rows = new Map<number, CellValue[]>();

  constructor(text: string) {
    this.#texts = rowsOf(text);
  }

  /** What the cell at an offset holds; undefined where it is empty. */
  get(offset: number): CellValue | undefined {
    const input = this.#row(offset)[offset % BLOCK_COLUMNS];
    return input === '' ? undefined : input;
  }

  /** Fills the cell at an offset; `undefined` empties it. */
  set(offset: number, input: CellValue | undefined): void {
    const cells = this.#row(offset);
    const column = offset % BLOCK_COLUMNS;
    while (cells.length < column) cells.push('');
    cells[column] = input ?? '';
  }

  /** The block as it is to be stored. */
  text(): string {
    const texts = this.#texts;
    for (const [row, cells] of this.#rows) {
      while (texts.length <= row) texts.push('');
      texts[row] = textOf(cells);
    }
    return texts.slice(0, texts.findLastIndex((text) => text !== '') + 1).join('\n');
  }

  #row(offset: number): CellValue[] {
    const row = Math.floor(offset / BLOCK_COLUMNS);
    const known = this.#rows.get(row);
    if (known) return known;
    const cells = cellsOf(this.#texts[row] ?? '');
    this.#rows.set(row, cells);
    return cells;
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
