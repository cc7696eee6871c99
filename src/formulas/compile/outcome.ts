import { isGrid, makeGrid } from '../grids.ts';
import { ERROR, Union, type Value } from '../values.ts';
import { type Host, type Result, settled } from './code.ts';
import { valueOf } from './operands.ts';

/** What a formula as a whole came to: a single value, or a grid that spills and whose values are all computed. */
export function gridValue(result: Result, host: Host): Value {
  const value = valueOf(result);
  if (value instanceof Union) return ERROR['#VALUE!'];
  if (!isGrid(value)) return value;
  if (value.rows === 0 || value.columns === 0) return ERROR['#CALC!'];
  if (value.rows === 1 && value.columns === 1) return value.at(0, 0);
  host.spend(value.rows * value.columns);
  const known = settled(value, host);
  return makeGrid(known.rows, known.columns, (row, column) => known.at(row, column));
}
