import { MAX_TEXT, textOf } from '../../conversions.ts';
import { eachPlace } from '../../grids.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { limited } from './limit.ts';

export const VALUETOTEXT = define(
  'VALUETOTEXT',
  ['scalar', 'number'],
  ([value, format = 0]) => {
    if (format === 0) return concise(value);
    return format === 1 ? strict(value) : ERROR['#VALUE!'];
  },
  { required: 1, takesErrors: true },
);

export const ARRAYTOTEXT = define(
  'ARRAYTOTEXT',
  ['grid', 'number'],
  ([grid, format = 0], context) => {
    if (format !== 0 && format !== 1) return ERROR['#VALUE!'];
    context.spend(grid.rows * grid.columns);
    const values =
      format === 1 ? shown(grid, strict, ',', ';', context) : shown(grid, concise, ', ', ', ', context);
    return limited(format === 1 ? `{${values}}` : values);
  },
  { required: 1, takesErrors: true },
);

/** The values of a grid row by row, with a text between two of a row and another between rows; no more than is too long. */
function shown(
  grid: Grid,
  show: (value: Scalar) => string,
  between: string,
  betweenRows: string,
  { spend }: CallContext,
): string {
  let text = '';
  const add = (value: Scalar, row: number, column: number): void => {
    if (text.length > MAX_TEXT) return;
    if (row + column > 0) text += column === 0 ? betweenRows : between;
    text += show(value);
  };
  eachPlace(grid, add, spend);
  return text;
}

function concise(value: Scalar): string {
  const text = textOf(value);
  return text instanceof CellError ? text.code : text;
}

/** As it would be written in a formula. */
function strict(value: Scalar): string {
  return typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : concise(value);
}

export const PHONETIC = define('PHONETIC', ['grid'], ([grid]) => {
  // Cells have no furigana here; of a text without it Excel answers the text.
  const value = grid.at(0, 0);
  return value instanceof CellError || typeof value === 'string' ? value : '';
});
