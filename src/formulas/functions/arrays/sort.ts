import { compareValues } from '../../comparison.ts';
import { isGrid } from '../../grids.ts';
import { CellError, ERROR, type Grid, type Scalar, Union, type Value } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { logicalOr, numberOr } from '../optional.ts';
import { gridOfLines, linesOf } from './lines.ts';

/** What a line is sorted by; the first that differs decides. */
interface Key {
  readonly values: readonly Scalar[];
  readonly descending: boolean;
}

export const SORT = define(
  'SORT',
  ['grid', 'grid', 'grid', 'scalar'],
  ([grid, by, orders, byColumn], context) => {
    const across = logicalOr(byColumn, false);
    if (across instanceof CellError) return across;
    const places = numbersOf(by);
    const directions = numbersOf(orders);
    if (places instanceof CellError) return places;
    if (directions instanceof CellError) return directions;
    const lines = linesOf(grid, across, context);
    const length = across ? grid.rows : grid.columns;
    if (places.some((place) => place < 1 || place > length) || !areOrders(directions))
      return ERROR['#VALUE!'];
    const keys = places.map((place, index) => ({
      values: lines.map((line) => line[Math.trunc(place) - 1] ?? null),
      descending: (directions[index] ?? directions[0]) === -1,
    }));
    return gridOfLines(sorted(lines, keys, context), across);
  },
  { required: 1, takesErrors: true },
);

export const SORTBY = define(
  'SORTBY',
  ['grid', 'grid', 'any'],
  ([grid, ...rest], context) => {
    const keys = keysOf(rest, context);
    if (keys instanceof CellError) return keys;
    const across = keys[0]?.by.rows === 1 && grid.columns > 1;
    const lines = linesOf(grid, across, context);
    if (keys.some(({ values }) => values.length !== lines.length)) return ERROR['#VALUE!'];
    return gridOfLines(sorted(lines, keys, context), across);
  },
  { required: 2, repeats: 2, takesErrors: true },
);

function keysOf(
  rest: readonly (Value | undefined)[],
  context: CallContext,
): (Key & { by: Grid })[] | CellError {
  const keys = [];
  for (let index = 0; index < rest.length; index += 2) {
    const by = rest[index];
    const order = rest[index + 1];
    const direction = isGrid(order) ? order.at(0, 0) : order instanceof Union ? ERROR['#VALUE!'] : order;
    if (!isGrid(by) || (by.rows > 1 && by.columns > 1)) return ERROR['#VALUE!'];
    const number = numberOr(direction, 1);
    if (number instanceof CellError) return number;
    if (!areOrders([number])) return ERROR['#VALUE!'];
    keys.push({ by, values: linesOf(by, by.rows === 1, context).flat(), descending: number === -1 });
  }
  return keys;
}

function areOrders(numbers: readonly number[]): boolean {
  return numbers.every((number) => number === 1 || number === -1);
}

/** The numbers of an argument that may be left out: then 1. */
function numbersOf(grid: Grid | undefined): number[] | CellError {
  if (!grid) return [1];
  const numbers: number[] = [];
  for (let row = 0; row < grid.rows; row++) {
    for (let column = 0; column < grid.columns; column++) {
      const number = numberOr(grid.at(row, column), 1);
      if (number instanceof CellError) return number;
      numbers.push(number);
    }
  }
  return numbers;
}

function sorted(lines: readonly Scalar[][], keys: readonly Key[], context: CallContext): Scalar[][] {
  context.spend(lines.length * Math.ceil(Math.log2(lines.length + 1)) * keys.length);
  const places = lines.map((_, place) => place);
  places.sort((a, b) => {
    for (const { values, descending } of keys) {
      const order = compareCells(values[a] ?? null, values[b] ?? null, descending);
      if (order !== 0) return order;
    }
    return 0;
  });
  return places.map((place) => lines[place] ?? []);
}

/** Numbers, texts, logicals, errors; what is empty comes last in either direction. */
function compareCells(a: Scalar, b: Scalar, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order =
    a instanceof CellError || b instanceof CellError
      ? Number(a instanceof CellError) - Number(b instanceof CellError)
      : compareValues(a, b);
  return descending ? -order : order;
}
