import { compareValues } from '../../operators.ts';
import { clockTicker } from '../../steps.ts';
import { CellError, ERROR, type Grid, type Scalar, type Value } from '../../values.ts';
import { type CallContext, define } from '../function.ts';
import { wholeOr } from '../numbers.ts';
import { subgrid } from './references.ts';
import {
  columnOf,
  findAtLeast,
  findAtMost,
  findEqual,
  findNearest,
  nextComparable,
  rowOf,
  type Vector,
  vectorOf,
  type Wanted,
} from './search.ts';

const MATCHING = [0, -1, 1, 2];
const SEARCHING = [1, -1, 2, -2];

/**
 * The index that XMATCH and XLOOKUP find; -1 without one.
 * @param matching 0 exact, -1 exact or next smaller, 1 exact or next larger, 2 wildcards
 * @param searching 1 from the start, -1 from the end, 2 and -2 binary search in ascending or descending order
 */
function findExtended(
  vector: Vector,
  wanted: Scalar,
  matching: number,
  searching: number,
  context: CallContext,
): number | CellError {
  if (!MATCHING.includes(matching) || !SEARCHING.includes(searching)) return ERROR['#VALUE!'];
  if (wanted instanceof CellError) return wanted;
  const halves = Math.abs(searching) === 2;
  if (halves && matching === 2) return ERROR['#VALUE!'];
  if (halves) return findSorted(vector, wanted, matching, searching > 0, context);
  const fromEnd = searching < 0;
  if (matching === 0 || matching === 2) return findEqual(vector, wanted, matching === 2, context, fromEnd);
  return findNearest(vector, wanted, matching < 0 ? 'below' : 'above', context, fromEnd);
}

function findSorted(
  vector: Vector,
  wanted: Wanted,
  matching: number,
  ascending: boolean,
  context: CallContext,
): number {
  const last = ascending ? findAtMost(vector, wanted, context) : findAtLeast(vector, wanted, context);
  if (last >= 0 && findEqual(one(vector, last), wanted, false, context) === 0) return last;
  if (matching === 0) return -1;
  // The last value within the bound is on one side of the wanted value, the next one on the other.
  return matching < 0 === ascending ? last : nextComparable(vector, wanted, last + 1, context);
}

function one(vector: Vector, index: number): Vector {
  return { length: 1, at: () => vector.at(index) };
}

export const MATCH = define(
  'MATCH',
  ['scalar', 'grid', 'number'],
  ([wanted, grid, order = 1], context) => {
    const vector = vectorOf(grid);
    if (!vector || wanted instanceof CellError) return ERROR['#N/A'];
    return asPosition(matchIndex(vector, wanted ?? 0, order, context));
  },
  { required: 2 },
);

function matchIndex(vector: Vector, wanted: Wanted, order: number, context: CallContext): number {
  if (order === 0) return findEqual(vector, wanted, true, context);
  return order > 0 ? findAtMost(vector, wanted, context) : findDescending(vector, wanted, context);
}

/** Scans descending values until they fall below the wanted one. */
function findDescending(vector: Vector, wanted: Wanted, context: CallContext): number {
  context.spend(vector.length);
  const tick = clockTicker(context.spend);
  let found = -1;
  for (let index = 0; index < vector.length; index++) {
    tick();
    const value = vector.at(index);
    if (value instanceof CellError || typeof value !== typeof wanted) continue;
    const order = compareValues(value, wanted);
    if (order < 0) return found;
    found = index;
    if (order === 0) return found;
  }
  return found;
}

export const XMATCH = define(
  'XMATCH',
  ['scalar', 'grid', 'scalar', 'scalar'],
  ([wanted, grid, matching, searching], context) => {
    const vector = vectorOf(grid);
    const mode = wholeOr(matching, 0);
    const search = wholeOr(searching, 1);
    if (mode instanceof CellError) return mode;
    if (search instanceof CellError) return search;
    if (!vector) return ERROR['#VALUE!'];
    return asPosition(findExtended(vector, wanted, mode, search, context));
  },
  { required: 2 },
);

function asPosition(found: number | CellError): Scalar {
  if (found instanceof CellError) return found;
  return found < 0 ? ERROR['#N/A'] : found + 1;
}

export const VLOOKUP = define(
  'VLOOKUP',
  ['scalar', 'grid', 'number', 'logical'],
  ([wanted, table, column, nearest], context) => {
    const index = isTable(table) ? columnAt(column, table.columns) : ERROR['#VALUE!'];
    if (index instanceof CellError) return index;
    return at(lookUp(columnOf(table, 0), wanted, nearest, context), (row) => table.at(row, index));
  },
  { required: 3 },
);

export const HLOOKUP = define(
  'HLOOKUP',
  ['scalar', 'grid', 'number', 'logical'],
  ([wanted, table, row, nearest], context) => {
    const index = isTable(table) ? columnAt(row, table.rows) : ERROR['#VALUE!'];
    if (index instanceof CellError) return index;
    return at(lookUp(rowOf(table, 0), wanted, nearest, context), (column) => table.at(index, column));
  },
  { required: 3 },
);

export const LOOKUP = define(
  'LOOKUP',
  ['scalar', 'grid', 'grid'],
  ([wanted, table, results], context) => {
    const across = table.columns > table.rows;
    const match = lookUp(across ? rowOf(table, 0) : columnOf(table, 0), wanted, true, context);
    if (results) return at(match, (index) => along(results, index));
    return at(match, (index) =>
      across ? table.at(table.rows - 1, index) : table.at(index, table.columns - 1),
    );
  },
  { required: 2 },
);

/** A single text is no table. */
function isTable(grid: Grid): boolean {
  return grid.area !== undefined || grid.rows > 1 || grid.columns > 1 || typeof grid.at(0, 0) !== 'string';
}

/** The index of the column or row of a table with a number from 1. */
function columnAt(number: number, count: number): number | CellError {
  if (number < 1) return ERROR['#VALUE!'];
  return number < count + 1 ? Math.floor(number) - 1 : ERROR['#REF!'];
}

function lookUp(vector: Vector, wanted: Scalar, nearest = true, context: CallContext): number {
  if (wanted instanceof CellError) return -1;
  return nearest ? findAtMost(vector, wanted, context) : findEqual(vector, wanted ?? 0, true, context);
}

function at(index: number, value: (index: number) => Value): Value {
  return index < 0 ? ERROR['#N/A'] : value(index);
}

function along(results: Grid, index: number): Value {
  if (index >= Math.max(results.rows, results.columns)) return ERROR['#N/A'];
  return results.rows > results.columns ? results.at(index, 0) : results.at(0, index);
}

export const XLOOKUP = define(
  'XLOOKUP',
  ['scalar', 'grid', 'grid', 'any', 'scalar', 'scalar'],
  ([wanted, lookup, results, otherwise, matching, searching], context) => {
    const vector = vectorOf(lookup);
    const mode = wholeOr(matching, 0);
    const search = wholeOr(searching, 1);
    if (mode instanceof CellError) return mode;
    if (search instanceof CellError) return search;
    if (!vector || !fits(lookup, results)) return ERROR['#VALUE!'];
    const found = findExtended(vector, wanted, mode, search, context);
    if (found instanceof CellError) return found;
    return found < 0 ? (otherwise ?? ERROR['#N/A']) : line(lookup, results, found, context);
  },
  // The replacement for "not found" may be an error, which does not count as an error argument.
  { required: 3, takesErrors: 'exceptAsCells' },
);

function fits(lookup: Grid, results: Grid): boolean {
  return lookup.columns === 1 ? lookup.rows === results.rows : lookup.columns === results.columns;
}

function line(lookup: Grid, results: Grid, index: number, context: CallContext): Value {
  return lookup.columns === 1
    ? subgrid(results, index, 0, 1, results.columns, context)
    : subgrid(results, 0, index, results.rows, 1, context);
}
