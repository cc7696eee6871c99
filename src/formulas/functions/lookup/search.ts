import { hasWildcards, wildcardTest } from '../../criteria.ts';
import { compareValues, foldCase } from '../../operators.ts';
import { lookingUp, type Spend } from '../../spending.ts';
import { CellError, type Grid, type Scalar } from '../../values.ts';
import type { CallContext } from '../function.ts';

/** A row or a column of a grid, up to where it is used: what lies behind is empty. */
export interface Vector {
  readonly length: number;
  at(index: number): Scalar;
  /** Where a value stands first, or last, as `Grid.findRow` tells; absent of a row. */
  find?(value: number | string | boolean, fromEnd: boolean): number | undefined;
}

export function columnOf(grid: Grid, column: number): Vector {
  return {
    length: grid.usedRows,
    at: (index) => grid.at(index, column),
    find: (value, fromEnd) => grid.findRow?.(column, value, fromEnd),
  };
}

export function rowOf(grid: Grid, row: number): Vector {
  return { length: grid.usedColumns, at: (index) => grid.at(row, index) };
}

/** A grid of one row or one column as a vector; undefined of a wider one. */
export function vectorOf(grid: Grid): Vector | undefined {
  if (grid.columns === 1) return columnOf(grid, 0);
  return grid.rows === 1 ? rowOf(grid, 0) : undefined;
}

/** What may be looked for; an error is never found. */
export type Wanted = Exclude<Scalar, CellError>;
/** Compares a value of a vector with what is wanted; undefined of a value of another kind. */
type Order = (value: Scalar) => number | undefined;

/**
 * Where a vector has a value that equals the wanted one, without regard to case; -1 when nowhere.
 * @param wildcards whether `*` and `?` in a wanted text stand for other characters
 */
export function findEqual(
  vector: Vector,
  wanted: Wanted,
  wildcards: boolean,
  context: CallContext,
  fromEnd = false,
): number {
  const isPattern = wildcards && typeof wanted === 'string' && hasWildcards(wanted);
  const known = isPattern || wanted === null ? undefined : vector.find?.(wanted, fromEnd);
  context.spend(known === undefined ? vector.length : 1);
  const equals = isPattern ? wildcardEquality(wanted) : equality(wanted);
  return known ?? walk(vector, equals, fromEnd, context.spend);
}

function walk(
  { length, at }: Vector,
  equals: (value: Scalar) => boolean,
  fromEnd: boolean,
  spend: Spend,
): number {
  const look = lookingUp(spend);
  for (let step = 0; step < length; step++) {
    look();
    const index = fromEnd ? length - 1 - step : step;
    if (equals(at(index))) return index;
  }
  return -1;
}

function wildcardEquality(wanted: string): (value: Scalar) => boolean {
  const matches = wildcardTest(wanted);
  return (value) => typeof value === 'string' && matches(value);
}

function equality(wanted: Wanted): (value: Scalar) => boolean {
  if (typeof wanted !== 'string') return (value) => value === wanted;
  const folded = foldCase(wanted);
  return (value) => typeof value === 'string' && value.length === wanted.length && foldCase(value) === folded;
}

/**
 * The last place of a vector in ascending order whose value is not above the wanted one, by halving as Excel does:
 * values of another kind are stepped over, and what is not in order gives whatever halving comes to. -1 when all are above.
 */
export function findAtMost(vector: Vector, wanted: Wanted, context: CallContext): number {
  return halve(vector, (value) => orderOf(value, wanted), context);
}

/** As `findAtMost` in a vector in descending order: the last place whose value is not below the wanted one. */
export function findAtLeast(vector: Vector, wanted: Wanted, context: CallContext): number {
  return halve(
    vector,
    (value) => {
      const order = orderOf(value, wanted);
      return order === undefined ? undefined : -order;
    },
    context,
  );
}

/** The first place from one on whose value is of the kind of the wanted one; -1 when there is none. */
export function nextComparable(vector: Vector, wanted: Wanted, from: number, context: CallContext): number {
  for (let index = from; index < vector.length; index++) {
    context.spend(1);
    if (orderOf(vector.at(index), wanted) !== undefined) return index;
  }
  return -1;
}

function halve(vector: Vector, order: Order, context: CallContext): number {
  let found = -1;
  let low = 0;
  let high = vector.length - 1;
  const look = lookingUp(context.spend);
  while (low <= high) {
    const middle = (low + high) >> 1;
    let comparable = middle;
    while (comparable <= high && order(vector.at(comparable)) === undefined) {
      look();
      comparable++;
    }
    context.spend(comparable - middle + 1);
    if (comparable > high) {
      high = middle - 1;
    } else if ((order(vector.at(comparable)) ?? 1) <= 0) {
      found = comparable;
      low = comparable + 1;
    } else {
      high = middle - 1;
    }
  }
  return found;
}

/** The place of the value that is nearest to the wanted one among those on one side of it, in a vector in any order. */
export function findNearest(
  vector: Vector,
  wanted: Wanted,
  side: 'below' | 'above',
  context: CallContext,
  fromEnd = false,
): number {
  context.spend(vector.length);
  let nearest = -1;
  const look = lookingUp(context.spend);
  for (let step = 0; step < vector.length; step++) {
    look();
    const index = fromEnd ? vector.length - 1 - step : step;
    const value = vector.at(index);
    const order = orderOf(value, wanted);
    if (order === 0) return index;
    if (order === undefined || order > 0 === (side === 'below')) continue;
    const best = nearest < 0 ? undefined : orderOf(value, vector.at(nearest) as Wanted);
    if (best === undefined || best < 0 === (side === 'above' && best !== 0)) nearest = index;
  }
  return nearest;
}

function orderOf(value: Scalar, wanted: Wanted): number | undefined {
  const looked = wanted ?? 0;
  if (value instanceof CellError || typeof value !== typeof looked) return undefined;
  return compareValues(value, looked);
}
