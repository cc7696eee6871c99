import { columnNumber } from '../../text/column-letters.ts';
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
