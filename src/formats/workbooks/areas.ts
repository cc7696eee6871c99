import { columnLetters } from '../../text/column-letters.ts';
import type { Area } from './looks.ts';
import { parseAddress } from './workbook.ts';

/** Parses a range such as B5 or A1:C3; undefined for an invalid one. */
export function parseArea(text: string): Area | undefined {
  const [first = '', last = first] = text.split(':');
  const start = parseAddress(first.replaceAll('$', ''));
  const end = parseAddress(last.replaceAll('$', ''));
  if (!start || !end) return undefined;
  return {
    top: Math.min(start.row, end.row),
    left: Math.min(start.column, end.column),
    bottom: Math.max(start.row, end.row),
    right: Math.max(start.column, end.column),
  };
}

/** Writes an area as A1 or A1:C3. */
export function areaText({ top, left, bottom, right }: Area): string {
  const first = addressText(top, left);
  return top === bottom && left === right ? first : `${first}:${addressText(bottom, right)}`;
}

/** Writes an area as $A$1:$C$3. */
export function absoluteText({ top, left, bottom, right }: Area): string {
  return `$${columnLetters(left)}$${top + 1}:$${columnLetters(right)}$${bottom + 1}`;
}

export function addressText(row: number, column: number): string {
  return `${columnLetters(column)}${row + 1}`;
}
