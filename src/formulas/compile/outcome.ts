import { finite } from '../conversions.ts';
import { isGrid, makeGrid } from '../grids.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../limits.ts';
import { ERROR, type Scalar, Union, type Value } from '../values.ts';
import { type Host, type Result, settled } from './code.ts';
import { plainValue } from './operands.ts';

/**
 * What a formula as a whole came to: a single value, or a grid that spills and whose values are all computed. No number
 * that is too large leaves it, whatever function let it through: JSON has none.
 */
export function gridValue(result: Result, host: Host): Value {
  const value = plainValue(result);
  if (value instanceof Union) return ERROR['#VALUE!'];
  if (!isGrid(value)) return shownScalar(value);
  if (value.rows === 0 || value.columns === 0) return ERROR['#CALC!'];
  if (value.rows === 1 && value.columns === 1) return shownScalar(value.at(0, 0));
  if (host.cell.row + value.rows > MAX_ROWS || host.cell.column + value.columns > MAX_COLUMNS)
    return ERROR['#SPILL!'];
  host.spend(value.rows * value.columns);
  const known = settled(value, host);
  return makeGrid(known, (row, column) => shownScalar(known.at(row, column)), host.spend);
}

function shownScalar(value: Scalar): Scalar {
  return typeof value === 'number' ? finite(value) : value;
}
