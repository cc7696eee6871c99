import { CellError, ERROR, type Grid, type Scalar, type Value } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { findAtMost, findEqual } from './search.ts';
import { columnOf, rowOf, type Vector } from './vector.ts';

export const VLOOKUP = define(
  'VLOOKUP',
  ['scalar', 'grid', 'number', 'logical'],
  ([wanted, table, column, nearest], context) => {
    const place = isTable(table) ? columnAt(column, table.columns) : ERROR['#VALUE!'];
    if (place instanceof CellError) return place;
    return at(lookUp(columnOf(table, 0), wanted, nearest, context), (row) => table.at(row, place));
  },
  { required: 3 },
);

export const HLOOKUP = define(
  'HLOOKUP',
  ['scalar', 'grid', 'number', 'logical'],
  ([wanted, table, row, nearest], context) => {
    const place = isTable(table) ? columnAt(row, table.rows) : ERROR['#VALUE!'];
    if (place instanceof CellError) return place;
    return at(lookUp(rowOf(table, 0), wanted, nearest, context), (column) => table.at(place, column));
  },
  { required: 3 },
);

export const LOOKUP = define(
  'LOOKUP',
  ['scalar', 'grid', 'grid'],
  ([wanted, table, results], context) => {
    const across = table.columns > table.rows;
    const place = lookUp(across ? rowOf(table, 0) : columnOf(table, 0), wanted, true, context);
    if (results) return at(place, (index) => along(results, index));
    return at(place, (index) =>
      across ? table.at(table.rows - 1, index) : table.at(index, table.columns - 1),
    );
  },
  { required: 2 },
);

/** A text by itself is none. */
function isTable(grid: Grid): boolean {
  return grid.area !== undefined || grid.rows > 1 || grid.columns > 1 || typeof grid.at(0, 0) !== 'string';
}

/** Which column, or row, of a table is meant by a number that counts from 1. */
function columnAt(number: number, count: number): number | CellError {
  if (number < 1) return ERROR['#VALUE!'];
  return number < count + 1 ? Math.floor(number) - 1 : ERROR['#REF!'];
}

function lookUp(vector: Vector, wanted: Scalar, nearest = true, context: CallContext): number {
  if (wanted instanceof CellError) return -1;
  return nearest ? findAtMost(vector, wanted, context) : findEqual(vector, wanted ?? 0, true, context);
}

function at(place: number, value: (place: number) => Value): Value {
  return place < 0 ? ERROR['#N/A'] : value(place);
}

function along(results: Grid, index: number): Value {
  if (index >= Math.max(results.rows, results.columns)) return ERROR['#N/A'];
  return results.rows > results.columns ? results.at(index, 0) : results.at(0, index);
}
