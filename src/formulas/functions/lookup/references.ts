import { gridOf, isGrid, isReference } from '../../grids.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../../limits.ts';
import type { Spend } from '../../steps.ts';
import { CellError, ERROR, type Grid, Union, type Value } from '../../values.ts';
import { viewOf } from '../aggregates.ts';
import { type CallContext, define } from '../function.ts';
import { logicalOr, numberOr, textOr } from '../numbers.ts';

/** A subrange of a grid: a reference of a reference, else values; a single value for one cell. */
export function subgrid(
  grid: Grid,
  top: number,
  left: number,
  rows: number,
  columns: number,
  context: CallContext,
): Value {
  if (grid.area) {
    const { sheet, top: firstRow, left: firstColumn } = grid.area;
    return context.reference({
      sheet,
      top: firstRow + top,
      left: firstColumn + left,
      bottom: firstRow + top + rows - 1,
      right: firstColumn + left + columns - 1,
    });
  }
  if (rows === 1 && columns === 1) return grid.at(top, left);
  const extent = { rows, columns, usedRows: grid.usedRows - top, usedColumns: grid.usedColumns - left };
  return viewOf(extent, (row, column) => grid.at(top + row, left + column), context.spend);
}

/** The absolute coordinates by the third argument of ADDRESS. */
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

/** A relative coordinate, as in R[-1]C[2], may be negative. */
function isCell(row: number, column: number, rowIsPlace: boolean, columnIsPlace: boolean): boolean {
  return (
    Math.abs(row) <= MAX_ROWS &&
    Math.abs(column) <= MAX_COLUMNS &&
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

/** The letters of a column, counted from 1. */
function columnName(column: number): string {
  let name = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  }
  return name;
}

/** The absolute address of a cell; rows and columns count from 1. */
export function addressOf(row: number, column: number, sheet?: string): string {
  return sheetPrefix(sheet) + a1(row, column, { row: true, column: true });
}

/** The sheet prefix of an address; an ambiguous name is quoted. */
function sheetPrefix(name: string | undefined): string {
  if (name === undefined) return '';
  const plain =
    /^$|^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) && !/^(?:[a-z]{1,3}\d+|r\d*|c\d*|r\d*c\d*)$/i.test(name);
  return plain ? `${name}!` : `'${name.replaceAll("'", "''")}'!`;
}

const LAST_ROW = 1_048_575;
const LAST_COLUMN = 16_383;

export const INDIRECT = define(
  'INDIRECT',
  ['text', 'logical'],
  ([text, inA1 = true], context) => context.referenceOf(text, inA1 ? 'A1' : 'R1C1'),
  { required: 1, volatile: true, makesReferences: true },
);

export const OFFSET = define(
  'OFFSET',
  ['any', 'number', 'number', 'scalar', 'scalar'],
  ([from, down, right, tall, wide], context) => {
    if (!isGrid(from) || !from.area) return ERROR['#VALUE!'];
    const { area } = from;
    const height = numberOr(tall, from.rows);
    const width = numberOr(wide, from.columns);
    if (height instanceof CellError) return height;
    if (width instanceof CellError) return width;
    const [top, bottom] = span(area.top + Math.trunc(down), sizeOf(height));
    const [left, end] = span(area.left + Math.trunc(right), sizeOf(width));
    if (top < 0 || left < 0 || bottom > LAST_ROW || end > LAST_COLUMN) return ERROR['#REF!'];
    if (bottom < top || end < left) return ERROR['#REF!'];
    return context.reference({ sheet: area.sheet, top, left, bottom, right: end });
  },
  { required: 3, volatile: true, makesReferences: true },
);

/** A fraction below 1 counts as one row or column, as in Excel; larger numbers are truncated. */
function sizeOf(count: number): number {
  return count > 0 && count < 1 ? 1 : Math.trunc(count);
}

/** The first and last of `count` rows or columns from `start`; a negative count goes backwards, 0 is empty. */
function span(start: number, count: number): [first: number, last: number] {
  return count < 0 ? [start + count + 1, start] : [start, start + count - 1];
}

export const AREAS = define('AREAS', ['any'], ([given]) => {
  if (given instanceof Union) return given.grids.length;
  return isReference(given) ? 1 : ERROR['#VALUE!'];
});

export const ISREF = define('ISREF', ['any'], ([given]) => given instanceof Union || isReference(given), {
  takesErrors: true,
});

export const ROW = define('ROW', ['any'], ([given], context) => rowsOf(given, context), { required: 0 });

function rowsOf(given: Value | undefined, context: CallContext): Value {
  if (given === undefined) return context.cell.row + 1;
  if (!isGrid(given) || !given.area) return ERROR['#VALUE!'];
  const { top } = given.area;
  if (given.rows === 1) return top + 1;
  return viewOf({ rows: given.rows, columns: 1 }, (row) => top + row + 1, context.spend);
}

export const COLUMN = define('COLUMN', ['any'], ([given], context) => columnsOf(given, context), {
  required: 0,
});

function columnsOf(given: Value | undefined, context: CallContext): Value {
  if (given === undefined) return context.cell.column + 1;
  if (!isGrid(given) || !given.area) return ERROR['#VALUE!'];
  const { left } = given.area;
  if (given.columns === 1) return left + 1;
  return viewOf({ rows: 1, columns: given.columns }, (_, column) => left + column + 1, context.spend);
}

export const ROWS = define('ROWS', ['grid'], ([grid]) => grid.rows);

export const COLUMNS = define('COLUMNS', ['grid'], ([grid]) => grid.columns);

export const SHEET = define(
  'SHEET',
  ['any'],
  ([given], context) => {
    if (given === undefined) return context.cell.sheet + 1;
    if (isGrid(given)) return given.area ? given.area.sheet + 1 : ERROR['#N/A'];
    if (typeof given !== 'string') return ERROR['#N/A'];
    const index = context.sheets.findIndex((name) => name.toLowerCase() === given.toLowerCase());
    return index < 0 ? ERROR['#N/A'] : index + 1;
  },
  { required: 0 },
);

export const SHEETS = define(
  'SHEETS',
  ['any'],
  ([given], context) => {
    if (given === undefined) return context.sheets.length;
    return isGrid(given) && given.area ? 1 : ERROR['#N/A'];
  },
  { required: 0 },
);

/** A formula can be longer than a text; then the result is an error. */
const MAX_SHOWN = 8192;

/** Prefixes of newer function names in files. */
const FILE_PREFIX = /_xl(?:fn|ws)\./gi;

export const FORMULATEXT = define(
  'FORMULATEXT',
  ['any'],
  ([given], context) => {
    if (!isGrid(given) || !given.area) return ERROR['#N/A'];
    const { sheet, top, left } = given.area;
    const formula = context.formula(sheet, top, left);
    if (formula === undefined || formula.length > MAX_SHOWN) return ERROR['#N/A'];
    return formula.replace(FILE_PREFIX, '');
  },
  { takesErrors: true },
);

/** A link shows its second argument; following it is left to the client. */
export const HYPERLINK = define(
  'HYPERLINK',
  ['text', 'scalar'],
  ([link, shown]) => (shown === undefined ? link : shown),
  {
    required: 1,
  },
);

/** Workbooks have no pivot tables here, so no reference leads to one. */
export const GETPIVOTDATA = define('GETPIVOTDATA', ['any', 'any', 'any'], () => ERROR['#REF!'], {
  required: 2,
  repeats: 1,
  takesErrors: true,
});

export const INDEX = define(
  'INDEX',
  ['any', 'number', 'number', 'number'],
  ([given, first = 0, second, number = 1], context) => {
    const grid = gridAt(given, number, context.spend);
    if (grid instanceof CellError) return grid;
    // In a single row a single number selects the column.
    const along = second === undefined && grid.rows === 1;
    const row = Math.trunc(along ? 0 : first);
    const column = Math.trunc(along ? first : (second ?? 0));
    if (row < 0 || column < 0) return ERROR['#VALUE!'];
    if (row > grid.rows || column > grid.columns) return ERROR['#REF!'];
    return subgrid(
      grid,
      Math.max(row - 1, 0),
      Math.max(column - 1, 0),
      row === 0 ? grid.rows : 1,
      column === 0 ? grid.columns : 1,
      context,
    );
  },
  { required: 1 },
);

function gridAt(given: Value, number: number, spend: Spend): Grid | CellError {
  const grids = given instanceof Union ? given.grids : [isGrid(given) ? given : gridOf([[given]], spend)];
  if (number < 1) return ERROR['#VALUE!'];
  return grids[Math.trunc(number) - 1] ?? ERROR['#REF!'];
}
