import { compareValues } from '../../comparison.ts';
import { lookingUp } from '../../spending.ts';
import { CellError, ERROR, type Scalar } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { wholeOr } from '../optional.ts';
import { findAtMost, findEqual, type Wanted } from './search.ts';
import { type Vector, vectorOf } from './vector.ts';
import { findExtended } from './xmatch.ts';

export const MATCH = define(
  'MATCH',
  ['scalar', 'grid', 'number'],
  ([wanted, grid, order = 1], context) => {
    const vector = vectorOf(grid);
    if (!vector || wanted instanceof CellError) return ERROR['#N/A'];
    return counted(place(vector, wanted ?? 0, order, context));
  },
  { required: 2 },
);

function place(vector: Vector, wanted: Wanted, order: number, context: CallContext): number {
  if (order === 0) return findEqual(vector, wanted, true, context);
  return order > 0 ? findAtMost(vector, wanted, context) : findDescending(vector, wanted, context);
}

/** Walks down values in descending order, and stops where they fall below the wanted one. */
function findDescending(vector: Vector, wanted: Wanted, context: CallContext): number {
  context.spend(vector.length);
  const look = lookingUp(context.spend);
  let found = -1;
  for (let index = 0; index < vector.length; index++) {
    look();
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
    return counted(findExtended(vector, wanted, mode, search, context));
  },
  { required: 2 },
);

function counted(found: number | CellError): Scalar {
  if (found instanceof CellError) return found;
  return found < 0 ? ERROR['#N/A'] : found + 1;
}
