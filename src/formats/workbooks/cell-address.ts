import { MAX_COLUMNS, MAX_ROWS } from './limits.ts';

/** Where a cell is; rows and columns count from 0. */
export interface CellAddress {
  readonly row: number;
  readonly column: number;
}

const ADDRESS = /^([A-Za-z]{1,3})([1-9][0-9]{0,6})$/;

/** What an address such as B5 names; undefined where it is none, or outside of a sheet. */
export function parseAddress(text: string): CellAddress | undefined {
  const found = ADDRESS.exec(text);
  if (!found?.[1] || !found[2]) return undefined;
  const row = Number(found[2]) - 1;
  const column = columnNumber(found[1]);
  return row < MAX_ROWS && column < MAX_COLUMNS ? { row, column } : undefined;
}

function columnNumber(letters: string): number {
  let number = 0;
  for (const letter of letters.toUpperCase()) number = number * 26 + letter.charCodeAt(0) - 64;
  return number - 1;
}

/** The letters of a column, which counts from 0. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}
