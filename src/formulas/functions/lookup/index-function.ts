import { gridOf, isGrid } from '../../grids.ts';
import type { Spend } from '../../spending.ts';
import { CellError, ERROR, type Grid, Union, type Value } from '../../values.ts';
import { define } from '../define.ts';
import { part } from './part.ts';

export const INDEX = define(
  'INDEX',
  ['any', 'number', 'number', 'number'],
  ([given, first = 0, second, number = 1], context) => {
    const grid = gridAt(given, number, context.spend);
    if (grid instanceof CellError) return grid;
    // Of a single row, one number alone counts along it.
    const along = second === undefined && grid.rows === 1;
    const row = Math.trunc(along ? 0 : first);
    const column = Math.trunc(along ? first : (second ?? 0));
    if (row < 0 || column < 0) return ERROR['#VALUE!'];
    if (row > grid.rows || column > grid.columns) return ERROR['#REF!'];
    return part(
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
