import { endOfString } from '../../api/json.ts';
import { BLOCK_COLUMNS } from './block.ts';

/** Neighbouring cells of a row as JSON without brackets, as blocks hold them: empty ones are "", and none at the end. */
export type RowText = string;

const QUOTE = 0x22;
const COMMA = 0x2c;
const EMPTY_END = ',""';

/** The cells of a row from one on, at most so many, at least one. */
export function cellsOf(row: RowText, from: number, count: number): RowText {
  const start = startOf(row, from, 0);
  if (start >= row.length) return '';
  return withoutEmptyEnd(row.slice(start, startOf(row, count, start) - 1));
}

/** How many cells there are. */
export function countCells(row: RowText): number {
  if (row === '') return 0;
  let count = 1;
  for (let at = nextComma(row, 0); at < row.length; at = nextComma(row, at + 1)) count++;
  return count;
}

/** A larger one might need more memory to look at than the engine gives a regular expression. */
const LARGEST_LOOKED_AT = 16_384;
const CELL = String.raw`(?:[^",\n]+|"[^"\\\n]*(?:\\.[^"\\\n]*)*")`;
const FULL_LINES = new RegExp(`^(?:${CELL}(?:,${CELL}){${BLOCK_COLUMNS - 1}}(?:\n|$))*$`);

/** Whether every line of a block is known to have all its cells: of all at once that costs a fifth of counting them. */
export function isFull(block: string): boolean {
  return block.length <= LARGEST_LOOKED_AT && FULL_LINES.test(block);
}

/** Where the cell begins that comes so many after the one at a place; behind the end where there is none. */
function startOf(row: RowText, cells: number, place: number): number {
  let at = place;
  for (let i = 0; i < cells && at < row.length; i++) at = nextComma(row, at) + 1;
  return at;
}

/** Where the next comma between cells stands; the end where there is none. */
function nextComma(row: RowText, start: number): number {
  for (let at = start; at < row.length; at++) {
    const code = row.charCodeAt(at);
    if (code === COMMA) return at;
    if (code === QUOTE) at = endOfString(row, at);
  }
  return row.length;
}

/** A quote within a text is escaped: what looks like an empty one is one. */
function withoutEmptyEnd(row: RowText): RowText {
  let end = row.length;
  while (row.endsWith(EMPTY_END, end)) end -= EMPTY_END.length;
  const rest = row.slice(0, end);
  return rest === '""' ? '' : rest;
}
