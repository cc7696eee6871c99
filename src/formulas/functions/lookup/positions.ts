import { isGrid } from '../../grids.ts';
import { ERROR, type Value } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { viewOf } from '../view.ts';

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
    const place = context.sheets.findIndex((name) => name.toLowerCase() === given.toLowerCase());
    return place < 0 ? ERROR['#N/A'] : place + 1;
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
