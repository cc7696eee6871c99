import { numberOf } from '../../conversions.ts';
import { CellError, type Grid, type Scalar, type Value } from '../../values.ts';
import { define } from '../define.ts';
import { gridsOf, isCells } from '../numbers.ts';

type Counted = (value: Scalar) => boolean;

/** How many values count: cells by one rule, single values by another. */
function count(values: readonly Value[], ofCell: Counted, ofSingle: Counted): number {
  let found = 0;
  for (const value of values) {
    if (isCells(value)) found += countCells(gridsOf(value), ofCell);
    else if (ofSingle(value)) found += 1;
  }
  return found;
}

function countCells(grids: readonly Grid[], counted: Counted): number {
  let found = 0;
  for (const grid of grids) {
    grid.each((cell) => {
      if (counted(cell)) found += 1;
    });
  }
  return found;
}

function countBlank(grid: Grid): number {
  return grid.rows * grid.columns - countCells([grid], (cell) => cell !== '');
}

export const COUNTS = [
  define(
    'COUNT',
    ['any'],
    (values: readonly Value[]) =>
      count(
        values,
        (cell) => typeof cell === 'number',
        (value) => !(numberOf(value) instanceof CellError),
      ),
    { repeats: 1, takesErrors: true },
  ),
  define(
    'COUNTA',
    ['any'],
    (values: readonly Value[]) =>
      count(
        values,
        () => true,
        () => true,
      ),
    { repeats: 1, takesErrors: true },
  ),
  define('COUNTBLANK', ['grid'], ([grid]) => countBlank(grid), { takesErrors: true }),
];
