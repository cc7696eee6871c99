import { hasWildcards, wildcardTest } from '../../criteria.ts';
import { compareValues, foldCase } from '../../operators.ts';
import { clockTicker, type Spend } from '../../steps.ts';
import { CellError, type Grid, type Scalar } from '../../values.ts';
import type { CallContext } from '../function.ts';

/** A row or column of a grid up to its used end; all later cells are empty. */
export interface Vector {
  readonly length: number;
  at(index: number): Scalar;
  /** Finds the first or last index of a value, like `Grid.findRow`; absent for a row. */
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

/** A grid of one row or one column as a vector; undefined for any other shape. */
export function vectorOf(grid: Grid): Vector | undefined {
  if (grid.columns === 1) return columnOf(grid, 0);
  return grid.rows === 1 ? rowOf(grid, 0) : undefined;
}

/** The values that can be searched; an error is never found. */
export type Wanted = Exclude<Scalar, CellError>;
/** Compares a value with the wanted one; undefined for another type. */
type Order = (value: Scalar) => number | undefined;

/**
 * The index of a value that equals the wanted one, case-insensitive; -1 without one.
 * @param wildcards whether `*` and `?` in a wanted text are wildcards
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
  const tick = clockTicker(spend);
  for (let step = 0; step < length; step++) {
    tick();
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
 * The last index in an ascending vector whose value is not above the wanted one; -1 without one. Binary search as
 * in Excel: skips values of another type, and for an unsorted vector returns what the search finds.
 */
export function findAtMost(vector: Vector, wanted: Wanted, context: CallContext): number {
  return halve(vector, (value) => orderOf(value, wanted), context);
}

/** Like `findAtMost` in a descending vector: the last index whose value is not below the wanted one. */
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

/** The first index from `from` on with a value of the wanted type; -1 without one. */
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
  const tick = clockTicker(context.spend);
  while (low <= high) {
    const middle = (low + high) >> 1;
    let comparable = middle;
    while (comparable <= high && order(vector.at(comparable)) === undefined) {
      tick();
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

/** The index of the nearest value on one side of the wanted one, in an unsorted vector. */
export function findNearest(
  vector: Vector,
  wanted: Wanted,
  side: 'below' | 'above',
  context: CallContext,
  fromEnd = false,
): number {
  context.spend(vector.length);
  let nearest = -1;
  const tick = clockTicker(context.spend);
  for (let step = 0; step < vector.length; step++) {
    tick();
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
  const wantedValue = wanted ?? 0;
  if (value instanceof CellError || typeof value !== typeof wantedValue) return undefined;
  return compareValues(value, wantedValue);
}
