import { logicalOf } from '../../conversions.ts';
import { isGrid } from '../../grids.ts';
import { compareValues } from '../../operators.ts';
import { filterLooking, lookingUp, mapLooking } from '../../spending.ts';
import { CellError, ERROR, type Grid, type Scalar, Union, type Value } from '../../values.ts';
import { viewOf } from '../aggregates.ts';
import { type CallContext, define } from '../function.ts';
import { columnOf, rowOf, type Vector, vectorOf } from '../lookup/search.ts';
import { logicalOr, numberOr } from '../numbers.ts';

/** Rows of a grid, or its columns: what FILTER, SORT and UNIQUE keep or move as a whole. */
interface Lines {
  readonly length: number;
  /** Every line from here on is empty. */
  readonly used: number;
  /** How many values each has. */
  readonly width: number;
  line(index: number): Scalar[];
}

/** The rows or the columns of a grid. */
function linesOf(grid: Grid, byColumn: boolean, context: CallContext): Lines {
  const [length, used, width] = byColumn
    ? [grid.columns, grid.usedColumns, grid.rows]
    : [grid.rows, grid.usedRows, grid.columns];
  const look = lookingUp(context.spend);
  return {
    length,
    used,
    width,
    line(index) {
      context.spend(width);
      return Array.from({ length: width }, (_, place) => {
        look();
        return byColumn ? grid.at(place, index) : grid.at(index, place);
      });
    },
  };
}

/** Some lines, and empty ones after them, as a grid. */
function gridOfLines(
  lines: readonly (readonly Scalar[])[],
  byColumn: boolean,
  context: CallContext,
  length = lines.length,
): Grid {
  const width = lines[0]?.length ?? 1;
  const spend = (steps: number): void => context.spend(steps);
  return byColumn
    ? viewOf(
        { rows: width, columns: length, usedColumns: lines.length },
        (row, column) => lines[column]?.[row] ?? null,
        spend,
      )
    : viewOf(
        { rows: length, columns: width, usedRows: lines.length },
        (row, column) => lines[row]?.[column] ?? null,
        spend,
      );
}

/** To ask whether a line is kept costs little beside making it. */
const CHEAP_STEPS = 16;

export const FILTER = define(
  'FILTER',
  ['grid', 'grid', 'any'],
  ([grid, includes, otherwise], context) => {
    const byColumn = includes.rows === 1 && (grid.rows !== 1 || includes.columns > 1);
    if (!fits(grid, includes, byColumn)) return ERROR['#VALUE!'];
    const lines = linesOf(grid, byColumn, context);
    const kept: Scalar[][] = [];
    const look = lookingUp(context.spend);
    context.spend(lines.length / CHEAP_STEPS);
    for (let index = 0; index < lines.length; index++) {
      look();
      const keep = logicalOf(byColumn ? includes.at(0, index) : includes.at(index, 0));
      if (keep instanceof CellError) return keep;
      if (keep) kept.push(lines.line(index));
    }
    return kept.length > 0 ? gridOfLines(kept, byColumn, context) : (otherwise ?? ERROR['#CALC!']);
  },
  // What stands for "nothing is left" may be an error, and is no error of what is left.
  { required: 2, takesErrors: true },
);

function fits(grid: Grid, includes: Grid, byColumn: boolean): boolean {
  return byColumn ? includes.columns === grid.columns : includes.columns === 1 && includes.rows === grid.rows;
}

/** What lines are sorted by; of several keys the first in which two lines differ decides. */
interface Key {
  readonly values: Vector;
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
    if (places.some((place) => place < 1 || place > lines.width)) return ERROR['#VALUE!'];
    if (!areOrders(directions)) return ERROR['#VALUE!'];
    const keys = places.map((place, index) => ({
      values: across ? rowOf(grid, Math.trunc(place) - 1) : columnOf(grid, Math.trunc(place) - 1),
      descending: (directions[index] ?? directions[0]) === -1,
    }));
    return sorted(lines, across, keys, context);
  },
  { required: 1, takesErrors: true },
);

export const SORTBY = define(
  'SORTBY',
  ['grid', 'grid', 'any'],
  ([grid, ...rest], context) => {
    const [by] = rest;
    const across = by.rows === 1 && grid.columns > 1;
    const lines = linesOf(grid, across, context);
    const keys = keysOf(rest, lines.length);
    return keys instanceof CellError ? keys : sorted(lines, across, keys, context);
  },
  { required: 2, repeats: 2, takesErrors: true },
);

/** Arguments by turns: values of a line each, and 1 or -1, which may be left out. */
function keysOf(rest: readonly (Value | undefined)[], length: number): Key[] | CellError {
  const keys: Key[] = [];
  for (let index = 0; index < rest.length; index += 2) {
    const [by, order] = [rest[index], rest[index + 1]];
    const values = isGrid(by) ? vectorOf(by) : undefined;
    if (!isGrid(by) || !values || by.rows * by.columns !== length) return ERROR['#VALUE!'];
    const direction = orderOf(order);
    if (direction instanceof CellError) return direction;
    keys.push({ values, descending: direction === -1 });
  }
  return keys;
}

function orderOf(given: Value | undefined): number | CellError {
  const order = isGrid(given) ? given.at(0, 0) : given;
  if (order instanceof Union) return ERROR['#VALUE!'];
  const number = numberOr(order, 1);
  if (number instanceof CellError) return number;
  return areOrders([number]) ? number : ERROR['#VALUE!'];
}

function areOrders(numbers: readonly number[]): boolean {
  return numbers.every((number) => number === 1 || number === -1);
}

/** The numbers of an argument; of one that was left out, or of an empty cell, 1. */
function numbersOf(grid: Grid | undefined): number[] | CellError {
  const numbers: number[] = [];
  let wrong: CellError | undefined;
  grid?.each((value) => {
    const number = numberOr(value, 1);
    if (number instanceof CellError) wrong ??= number;
    else numbers.push(number);
  });
  return wrong ?? (numbers.length > 0 ? numbers : [1]);
}

function sorted(lines: Lines, across: boolean, keys: readonly Key[], context: CallContext): Value {
  const used = Math.max(lines.used, ...keys.map(({ values }) => values.length));
  context.spend(used * Math.ceil(Math.log2(used + 1)) * keys.length);
  const places = Array.from({ length: Math.min(used, lines.length) }, (_, place) => place);
  const look = lookingUp(context.spend);
  places.sort((a, b) => {
    look();
    for (const { values, descending } of keys) {
      const order = compareCells(values.at(a), values.at(b), descending);
      if (order !== 0) return order;
    }
    return 0;
  });
  return gridOfLines(
    places.map((place) => lines.line(place)),
    across,
    context,
    lines.length,
  );
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

export const UNIQUE = define(
  'UNIQUE',
  ['grid', 'scalar', 'scalar'],
  ([grid, byColumn, once], context) => {
    const across = logicalOr(byColumn, false);
    const single = logicalOr(once, false);
    if (across instanceof CellError) return across;
    if (single instanceof CellError) return single;
    const lines = linesOf(grid, across, context);
    // Of lines that are empty two tell as much as all.
    const length = Math.min(lines.length, lines.used + 2);
    const look = lookingUp(context.spend);
    const groups = Map.groupBy(
      Array.from({ length }, (_, index) => lines.line(index)),
      (line) => {
        look();
        return keyOf(line);
      },
    );
    const kept = filterLooking([...groups.values()], (group) => !single || group.length === 1, context.spend);
    if (kept.length === 0) return ERROR['#CALC!'];
    return gridOfLines(
      mapLooking(kept, ([first = []]) => first, context.spend),
      across,
      context,
    );
  },
  { required: 1 },
);

/** The same of lines that are equal, texts without regard to case. */
function keyOf(line: readonly Scalar[]): string {
  return JSON.stringify(
    line.map((value) => {
      if (typeof value === 'string') return value.toLowerCase();
      return value instanceof CellError ? { error: value.code } : value;
    }),
  );
}
