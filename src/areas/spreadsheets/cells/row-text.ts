import { endOfString } from '../../../contract/json.ts';
import { BLOCK_COLUMNS, FULL } from './block.ts';

/** Neighbouring cells of a row as JSON without brackets, as blocks hold them: empty ones are "", and none at the end. */
export type RowText = string;

const QUOTE = 0x22;
const FULL_CODE = FULL.charCodeAt(0);
const EMPTY_END = ',""';

/** Shows cells of a row of a block; and how many there are, where nobody has to count them. */
export type ShowRow = (row: number, cells: RowText, count?: number) => void;

/** Shows some columns of a stored block, row by row down to the one before `end`, where they hold something. */
export function eachRow(
  block: string,
  { from, count, end }: { from: number; count: number; end: number },
  show: ShowRow,
): void {
  const isToTheEnd = from + count >= BLOCK_COLUMNS;
  let start = 0;
  for (let row = 0; row < end && start < block.length; row++) {
    const next = block.indexOf('\n', start);
    const lineEnd = next === -1 ? block.length : next;
    const isFull = block.charCodeAt(lineEnd - 1) === FULL_CODE;
    const line = block.slice(start, isFull ? lineEnd - FULL.length : lineEnd);
    const cells = from === 0 && isToTheEnd ? line : cellsOf(line, from, count);
    if (cells !== '') show(row, cells, isFull && isToTheEnd ? count : undefined);
    start = lineEnd + 1;
  }
}

/** The cells of a row from one on, at most so many, at least one. */
export function cellsOf(row: RowText, from: number, count: number): RowText {
  const start = startOf(row, from, 0);
  if (start >= row.length) return '';
  if (from + count >= BLOCK_COLUMNS) return row.slice(start);
  return withoutEmptyEnd(row.slice(start, startOf(row, count, start) - 1));
}

/** How many cells there are. */
export function countCells(row: RowText): number {
  if (row === '') return 0;
  let count = 1;
  for (let at = nextComma(row, 0); at < row.length; at = nextComma(row, at + 1)) count++;
  return count;
}

/** Where the cell begins that comes so many after the one at a place; behind the end where there is none. */
function startOf(row: RowText, cells: number, place: number): number {
  let at = place;
  for (let i = 0; i < cells && at < row.length; i++) at = nextComma(row, at) + 1;
  return at;
}

/** Where the cell that begins at a place has its comma behind it; the end of the row where it is the last. */
function nextComma(row: RowText, start: number): number {
  const isText = row.charCodeAt(start) === QUOTE;
  const comma = row.indexOf(',', isText ? endOfString(row, start) : start);
  return comma === -1 ? row.length : comma;
}

/** A quote within a text is escaped: what looks like an empty one is one. */
function withoutEmptyEnd(row: RowText): RowText {
  let end = row.length;
  while (row.endsWith(EMPTY_END, end)) end -= EMPTY_END.length;
  const rest = row.slice(0, end);
  return rest === '""' ? '' : rest;
}
