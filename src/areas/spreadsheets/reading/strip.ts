import { BLOCK_ROWS } from '../cells/block.ts';

/** Rows that are remembered together. Where no row was ever moved, they are those of one row of blocks. */
export const STRIP_ROWS = BLOCK_ROWS;
const BETWEEN_ROWS = '],[';

/** STRIP_ROWS rows as they are answered, of which any can be taken without looking at a character. */
export interface Strip {
  /** The JSON of their cells, with what stands between rows. */
  readonly text: string;
  /** Where each row ends. */
  readonly ends: readonly number[];
}

/** The strip of rows from `first` on, each the JSON of its cells; those that are missing are empty. */
export function stripOf(rows: readonly string[], first: number): Strip {
  const texts: string[] = [];
  const ends: number[] = [];
  let end = -BETWEEN_ROWS.length;
  for (let row = first; row < first + STRIP_ROWS; row++) {
    const text = rows[row] ?? '';
    end += BETWEEN_ROWS.length + text.length;
    texts.push(text);
    ends.push(end);
  }
  return { text: texts.join(BETWEEN_ROWS), ends };
}

/** The rows of neighbouring strips from one to another, counted from the first, as JSON without trailing empty ones. */
export function jsonOf(strips: readonly Strip[], first: number, bottom: number): string {
  const last = lastUsed(strips, first, bottom);
  if (last < first) return '[]';
  const pieces = strips.map(({ text, ends }, index) => {
    const top = index * STRIP_ROWS;
    const end = ends[Math.min(last - top, STRIP_ROWS - 1)];
    return text.slice(startOf(ends, Math.max(first - top, 0)), end);
  });
  const count = Math.floor(last / STRIP_ROWS) + 1;
  return `[[${pieces.slice(0, count).join(BETWEEN_ROWS)}]]`;
}

function lastUsed(strips: readonly Strip[], first: number, bottom: number): number {
  let last = bottom;
  while (last >= first && isEmpty(strips[Math.floor(last / STRIP_ROWS)], last % STRIP_ROWS)) last--;
  return last;
}

function isEmpty(strip: Strip | undefined, row: number): boolean {
  return !strip || startOf(strip.ends, row) === strip.ends[row];
}

function startOf(ends: readonly number[], row: number): number {
  return row === 0 ? 0 : (ends[row - 1] ?? 0) + BETWEEN_ROWS.length;
}
