import type { MostShown, ShownRun, ShownValue } from '../calculation.ts';

/** Values in one portion, and characters of their texts: to send it, or to take it in, holds up nobody. */
const VALUES = 2_000;
const CHARACTERS = 400_000;

/** Whether rows hold no more than may be answered; empty ones behind the last that is not are left out of an answer. */
export function isWithin(rows: readonly (readonly ShownValue[])[], most: MostShown): boolean {
  let cells = 0;
  let characters = 0;
  const end = rows.findLastIndex((row) => row.some((value) => value !== '')) + 1;
  for (const row of rows.slice(0, end)) {
    cells += Math.max(1, row.length);
    for (const value of row) characters += lengthOf(value);
    if (cells > most.cells || characters > most.characters) return false;
  }
  return true;
}

/** Rows in portions; a row with much in it comes in several. */
export function* portionsOf(rows: readonly (readonly ShownValue[])[]): Generator<ShownRun[]> {
  let portion: ShownRun[] = [];
  let left = VALUES;
  let room = CHARACTERS;
  for (const [row, values] of rows.entries()) {
    let column = 0;
    for (let end = 0; end < values.length; end++) {
      left--;
      room -= lengthOf(values[end]);
      if (left > 0 && room > 0) continue;
      portion.push({ row, column, values: values.slice(column, end + 1) });
      yield portion;
      portion = [];
      column = end + 1;
      [left, room] = [VALUES, CHARACTERS];
    }
    if (column < values.length) portion.push({ row, column, values: values.slice(column) });
  }
  if (portion.length > 0) yield portion;
}

function lengthOf(value: ShownValue | undefined): number {
  return typeof value === 'string' ? value.length : 0;
}
