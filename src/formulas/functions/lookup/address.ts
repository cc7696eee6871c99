import { CellError, ERROR } from '../../values.ts';
import { define } from '../define.ts';
import { logicalOr, numberOr, textOr } from '../optional.ts';

const ROWS = 1_048_576;
const COLUMNS = 16_384;
/** What is fixed, by the third argument of ADDRESS. */
const FIXED = [
  undefined,
  { row: true, column: true },
  { row: true, column: false },
  { row: false, column: true },
  { row: false, column: false },
];

export const ADDRESS = define(
  'ADDRESS',
  ['number', 'number', 'scalar', 'scalar', 'scalar'],
  ([row, column, fixing, notation, sheet]) => {
    const kind = numberOr(fixing, 1);
    const inA1 = logicalOr(notation, true);
    const name = sheet === undefined ? undefined : textOr(sheet, '');
    if (kind instanceof CellError) return kind;
    if (inA1 instanceof CellError) return inA1;
    if (name instanceof CellError) return name;
    const fixed = FIXED[Math.trunc(kind)];
    const [down, across] = [Math.trunc(row), Math.trunc(column)];
    if (fixed === undefined || !isCell(down, across, inA1 || fixed.row, inA1 || fixed.column))
      return ERROR['#VALUE!'];
    return sheetPrefix(name) + (inA1 ? a1(down, across, fixed) : r1c1(down, across, fixed));
  },
  { required: 2 },
);

/** A place that is told from the formula's own, as in R[-1]C[2], may lie before it. */
function isCell(row: number, column: number, rowIsPlace: boolean, columnIsPlace: boolean): boolean {
  return (
    Math.abs(row) <= ROWS &&
    Math.abs(column) <= COLUMNS &&
    (!rowIsPlace || row >= 1) &&
    (!columnIsPlace || column >= 1)
  );
}

function a1(row: number, column: number, fixed: { row: boolean; column: boolean }): string {
  return `${fixed.column ? '$' : ''}${columnName(column)}${fixed.row ? '$' : ''}${row}`;
}

function r1c1(row: number, column: number, fixed: { row: boolean; column: boolean }): string {
  return `R${fixed.row ? row : relative(row)}C${fixed.column ? column : relative(column)}`;
}

function relative(distance: number): string {
  return distance === 0 ? '' : `[${distance}]`;
}

/** The letters of a column, which is counted from 1. */
function columnName(column: number): string {
  let name = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  }
  return name;
}

/** The address of a cell, all of it fixed; rows and columns count from 1. */
export function addressOf(row: number, column: number, sheet?: string): string {
  return sheetPrefix(sheet) + a1(row, column, { row: true, column: true });
}

/** A sheet before an address; one whose name could be read as something else is quoted. */
function sheetPrefix(name: string | undefined): string {
  if (name === undefined) return '';
  const plain =
    /^$|^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) && !/^(?:[a-z]{1,3}\d+|r\d*|c\d*|r\d*c\d*)$/i.test(name);
  return plain ? `${name}!` : `'${name.replaceAll("'", "''")}'!`;
}
