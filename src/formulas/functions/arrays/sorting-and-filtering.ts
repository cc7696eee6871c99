import { logicalOf } from '../../conversions.ts';
import { isGrid } from '../../grids.ts';
import { compareValues } from '../../operators.ts';
import { clockTicker, filterWithTicks, mapWithTicks } from '../../steps.ts';
import { CellError, ERROR, type Grid, type Scalar, Union, type Value } from '../../values.ts';
import { viewOf } from '../aggregates.ts';
import { type CallContext, define } from '../function.ts';
import { columnOf, rowOf, type Vector, vectorOf } from '../lookup/search.ts';
import { logicalOr, numberOr } from '../numbers.ts';

/** The rows or columns of a grid, which FILTER, SORT and UNIQUE handle as units. */
interface Lines {
  readonly length: number;
  /** All lines from this index on are empty. */
  readonly used: number;
  /** The number of values of each line. */
  readonly width: number;
  line(index: number): Scalar[];
}

/** The rows or the columns of a grid. */
function linesOf(grid: Grid, byColumn: boolean, context: CallContext): Lines {
  const [length, used, width] = byColumn
    ? [grid.columns, grid.usedColumns, grid.rows]
    : [grid.rows, grid.usedRows, grid.columns];
  const tick = clockTicker(context.spend);
  return {
    length,
    used,
    width,
    line(index) {
      context.spend(width);
      return Array.from({ length: width }, (_, position) => {
        tick();
        return byColumn ? grid.at(position, index) : grid.at(index, position);
      });
    },
  };
}

/** A grid of lines, followed by empty ones. */
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

/** A test whether a line passes costs little compared with copying it. */
const CHEAP_STEPS = 16;

export const FILTER = define(
  'FILTER',
  ['grid', 'grid', 'any'],
  ([grid, includes, otherwise], context) => {
    const byColumn = includes.rows === 1 && (grid.rows !== 1 || includes.columns > 1);
    if (!fits(grid, includes, byColumn)) return ERROR['#VALUE!'];
    const lines = linesOf(grid, byColumn, context);
    const selected: Scalar[][] = [];
    const tick = clockTicker(context.spend);
    context.spend(lines.length / CHEAP_STEPS);
    for (let index = 0; index < lines.length; index++) {
      tick();
      const keep = logicalOf(byColumn ? includes.at(0, index) : includes.at(index, 0));
      if (keep instanceof CellError) return keep;
      if (keep) selected.push(lines.line(index));
    }
    return selected.length > 0 ? gridOfLines(selected, byColumn, context) : (otherwise ?? ERROR['#CALC!']);
  },
  // The replacement for an empty result may be an error, which does not count as an error argument.
  { required: 2, takesErrors: 'exceptAsCells' },
);

function fits(grid: Grid, includes: Grid, byColumn: boolean): boolean {
  return byColumn ? includes.columns === grid.columns : includes.columns === 1 && includes.rows === grid.rows;
}

/** A sort key; the first key in which two lines differ decides. */
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
    const positions = numbersOf(by);
    const directions = numbersOf(orders);
    if (positions instanceof CellError) return positions;
    if (directions instanceof CellError) return directions;
    const lines = linesOf(grid, across, context);
    if (positions.some((position) => position < 1 || position > lines.width)) return ERROR['#VALUE!'];
    if (!areOrders(directions)) return ERROR['#VALUE!'];
    const keys = positions.map((position, index) => ({
      values: across ? rowOf(grid, Math.trunc(position) - 1) : columnOf(grid, Math.trunc(position) - 1),
      descending: (directions[index] ?? directions[0]) === -1,
    }));
    return sortedLines(lines, across, keys, context);
  },
  { required: 1, takesErrors: 'exceptAsCells' },
);

export const SORTBY = define(
  'SORTBY',
  ['grid', 'grid', 'any'],
  ([grid, ...rest], context) => {
    const [by] = rest;
    const across = by.rows === 1 && grid.columns > 1;
    const lines = linesOf(grid, across, context);
    const keys = keysOf(rest, lines.length);
    return keys instanceof CellError ? keys : sortedLines(lines, across, keys, context);
  },
  { required: 2, repeats: 2, takesErrors: 'exceptAsCells' },
);

/** Alternating arguments: a value for each line, and an optional order, 1 or -1. */
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

/** The numbers of an argument; 1 for an omitted one or an empty cell. */
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

function sortedLines(lines: Lines, across: boolean, keys: readonly Key[], context: CallContext): Value {
  const used = Math.max(lines.used, ...keys.map(({ values }) => values.length));
  context.spend(used * Math.ceil(Math.log2(used + 1)) * keys.length);
  const positions = Array.from({ length: Math.min(used, lines.length) }, (_, position) => position);
  const tick = clockTicker(context.spend);
  positions.sort((a, b) => {
    tick();
    for (const { values, descending } of keys) {
      const order = compareCells(values.at(a), values.at(b), descending);
      if (order !== 0) return order;
    }
    return 0;
  });
  return gridOfLines(
    positions.map((position) => lines.line(position)),
    across,
    context,
    lines.length,
  );
}

/** Order: numbers, texts, logicals, errors; empty cells come last in both directions. */
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
    // Of the empty lines two are enough for uniqueness.
    const length = Math.min(lines.length, lines.used + 2);
    const tick = clockTicker(context.spend);
    const groups = Map.groupBy(
      Array.from({ length }, (_, index) => lines.line(index)),
      (line) => {
        tick();
        return keyOf(line);
      },
    );
    const unique = filterWithTicks(
      [...groups.values()],
      (group) => !single || group.length === 1,
      context.spend,
    );
    if (unique.length === 0) return ERROR['#CALC!'];
    return gridOfLines(
      mapWithTicks(unique, ([first = []]) => first, context.spend),
      across,
      context,
    );
  },
  { required: 1 },
);

/** A key that is equal for equal lines; texts are case-insensitive. */
function keyOf(line: readonly Scalar[]): string {
  return JSON.stringify(
    line.map((value) => {
      if (typeof value === 'string') return value.toLowerCase();
      return value instanceof CellError ? { error: value.code } : value;
    }),
  );
}
