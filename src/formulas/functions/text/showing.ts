import { textOf } from '../../conversions.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../../values.ts';
import { define } from '../define.ts';
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
    const rows = Array.from({ length: grid.rows }, (_, row) =>
      rowTexts(grid, row, format === 1 ? strict : concise),
    );
    if (format === 0) return limited(rows.flat().join(', '));
    return limited(`{${rows.map((row) => row.join(',')).join(';')}}`);
  },
  { required: 1, takesErrors: true },
);

function rowTexts(grid: Grid, row: number, show: (value: Scalar) => string): string[] {
  return Array.from({ length: grid.columns }, (_, column) => show(grid.at(row, column)));
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
