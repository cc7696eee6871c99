import { columnLetters, columnNumber } from '../../../text/column-letters.ts';

/** The size of every sheet: rows 1 to 1,048,576 and columns A to XFD. */
export const ROWS = 1_048_576;
export const COLUMNS = 16_384;

/** A rectangle of cells of a sheet. Rows and columns count from 0; all four bounds are inclusive. */
export interface Rectangle {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** How a range is written. A single cell is an anchor; the other forms bound a rectangle. */
export type RangeForm = 'cell' | 'block' | 'columns' | 'rows';

/** A range as the caller wrote it. Without a sheet name it means the first sheet. */
export interface A1Range {
  readonly sheet: string | undefined;
  readonly form: RangeForm;
  readonly area: Rectangle;
}

/** The text is not a range. The message says what is valid. */
export class InvalidRange extends Error {
  override readonly name = 'InvalidRange';
}

/**
 * Parses a range: A1, A1:C3, A:C or 2:5, optionally after a sheet name, as in Sheet!A1:B2 or 'My sheet'!A1 (a "'"
 * within the quotes is doubled). Lower case, $ and reversed ends are accepted. Throws InvalidRange.
 */
export function parseRange(text: string): A1Range {
  const { sheet, cells } = splitSheet(
    text.includes('!') ? text.replace(SHEET_AT_BOTH_ENDS, '$1$2:$3') : text,
  );
  const ends = cells.split(':');
  const from = endOf(ends[0] ?? '', text);
  const to = ends[1] === undefined ? from : endOf(ends[1], text);
  const form = formOf(from, to, ends.length);
  if (!form) throw new InvalidRange(`"${text}" is no range. ${EXAMPLES}`);
  return { sheet, form, area: areaOf(from, to) };
}

/** Parses whole columns without a sheet, such as A:E. Throws InvalidRange. */
export function parseColumns(text: string): { readonly left: number; readonly right: number } {
  const { sheet, form, area } = parseRange(text);
  if (sheet !== undefined || form !== 'columns')
    throw new InvalidRange(
      `"${text}" names no whole columns. Write them as A:E, or C:C for one, without a sheet.`,
    );
  return { left: area.left, right: area.right };
}

/** Excel writes the sheet name once, but also accepts Sheet!A1:Sheet!B2. */
const SHEET_AT_BOTH_ENDS = /^(.+!)([^!:']+):\1([^!:']+)$/is;

const EXAMPLES = "Write it as A1, A1:C3, A:C, 2:5, Sheet!A1:B2 or 'My sheet'!A1.";

function splitSheet(text: string): { sheet: string | undefined; cells: string } {
  const mark = text.lastIndexOf('!');
  if (mark === -1) return { sheet: undefined, cells: text };
  const quoted = /^'((?:[^']|'')+)'!(.*)$/s.exec(text);
  if (quoted) return { sheet: quoted[1]?.replaceAll("''", "'"), cells: quoted[2] ?? '' };
  if (mark === 0 || text.startsWith("'")) throw new InvalidRange(`"${text}" names no sheet. ${EXAMPLES}`);
  return { sheet: text.slice(0, mark), cells: text.slice(mark + 1) };
}

/** One end of a range. A row or a column that the text omits is undefined. */
interface End {
  readonly row: number | undefined;
  readonly column: number | undefined;
}

function endOf(text: string, range: string): End {
  const match = /^(?:\$?([a-z]{1,20}))?(?:\$?([0-9]{1,20}))?$/i.exec(text);
  const [, letters, digits] = match ?? [];
  const column = letters === undefined ? undefined : columnNumber(letters);
  const row = digits === undefined ? undefined : Number(digits) - 1;
  if (column !== undefined && column >= COLUMNS) {
    throw new InvalidRange(`"${range}" leaves the sheet: its last column is XFD.`);
  }
  if (row !== undefined && (row < 0 || row >= ROWS)) {
    throw new InvalidRange(`"${range}" leaves the sheet: its rows are 1 to ${ROWS}.`);
  }
  return { row, column };
}

function formOf(from: End, to: End, ends: number): RangeForm | undefined {
  const hasRow = from.row !== undefined;
  const hasColumn = from.column !== undefined;
  if (ends > 2 || hasRow !== (to.row !== undefined) || hasColumn !== (to.column !== undefined))
    return undefined;
  if (hasRow && hasColumn) return ends === 1 ? 'cell' : 'block';
  if (ends === 1) return undefined;
  if (hasRow) return 'rows';
  return hasColumn ? 'columns' : undefined;
}

function areaOf(from: End, to: End): Rectangle {
  const rows = [from.row ?? 0, to.row ?? ROWS - 1] as const;
  const columns = [from.column ?? 0, to.column ?? COLUMNS - 1] as const;
  return {
    top: Math.min(...rows),
    left: Math.min(...columns),
    bottom: Math.max(...rows),
    right: Math.max(...columns),
  };
}

/**
 * Writes a range in its canonical form. `sheet` is the sheet name as it is written before "!", with quotes if it needs
 * them.
 */
export function formatRange(sheet: string, { top, left, bottom, right }: Rectangle, form: RangeForm): string {
  if (form === 'columns') return `${sheet}!${columnLetters(left)}:${columnLetters(right)}`;
  if (form === 'rows') return `${sheet}!${top + 1}:${bottom + 1}`;
  const first = `${columnLetters(left)}${top + 1}`;
  const last = `${columnLetters(right)}${bottom + 1}`;
  return first === last ? `${sheet}!${first}` : `${sheet}!${first}:${last}`;
}
