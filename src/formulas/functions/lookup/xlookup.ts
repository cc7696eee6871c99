import { CellError, ERROR, type Grid, type Value } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { wholeOr } from '../optional.ts';
import { part } from './part.ts';
import { vectorOf } from './vector.ts';
import { findExtended } from './xmatch.ts';

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
  // What stands for "not found" may be an error, and is no error of what is found.
  { required: 3, takesErrors: true },
);

function fits(lookup: Grid, results: Grid): boolean {
  return lookup.columns === 1 ? lookup.rows === results.rows : lookup.columns === results.columns;
}

function line(lookup: Grid, results: Grid, index: number, context: CallContext): Value {
  return lookup.columns === 1
    ? part(results, index, 0, 1, results.columns, context)
    : part(results, 0, index, results.rows, 1, context);
}
