import { CellError, ERROR, type Scalar } from '../../values.ts';
import type { CallContext } from '../function.ts';
import { findAtLeast, findAtMost, findEqual, findNearest, nextComparable, type Wanted } from './search.ts';
import type { Vector } from './vector.ts';

const MATCHING = [0, -1, 1, 2];
const SEARCHING = [1, -1, 2, -2];

/**
 * The place that XMATCH and XLOOKUP look for; -1 when there is none.
 * @param matching 0 what equals, -1 or else the next below, 1 or else the next above, 2 with wildcards
 * @param searching 1 from the beginning, -1 from the end, 2 and -2 by halving what is in ascending or descending order
 */
export function findExtended(
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
  // The last that is not beyond the wanted one lies on one side of it, the next on the other.
  return matching < 0 === ascending ? last : nextComparable(vector, wanted, last + 1, context);
}

function one(vector: Vector, index: number): Vector {
  return { length: 1, at: () => vector.at(index) };
}
