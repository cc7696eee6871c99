import { MAX_COLUMNS, MAX_ROWS } from '../../limits.ts';
import { clockTicker, filterWithTicks, mapWithTicks } from '../../steps.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../../values.ts';
import { viewOf } from '../aggregates.ts';
import { type CallContext, define } from '../function.ts';
import type { Vector } from '../lookup/search.ts';
import { logicalOr, numberOr } from '../numbers.ts';

/** No array is larger than a sheet. */

export const TRANSPOSE = define('TRANSPOSE', ['grid'], ([grid], context) =>
  viewOf(
    { rows: grid.columns, columns: grid.rows, usedRows: grid.usedColumns, usedColumns: grid.usedRows },
    (row, column) => grid.at(column, row),
    context.spend,
  ),
);

export const HSTACK = define(
  'HSTACK',
  ['grid'],
  (grids: readonly Grid[], context) => {
    const rows = Math.max(...grids.map((grid) => grid.rows));
    const isEven = grids.every((grid) => grid.rows === rows);
    const usedRows = isEven ? Math.max(...grids.map((grid) => grid.usedRows)) : rows;
    const starts = startsOf(grids.map((grid) => grid.columns));
    return viewOf(
      { rows, columns: starts.end, usedRows },
      (row, column) => {
        const { index, offset } = starts.find(column);
        return valueIn(grids[index], row, offset);
      },
      context.spend,
    );
  },
  { repeats: 1, takesErrors: true },
);

export const VSTACK = define(
  'VSTACK',
  ['grid'],
  (grids: readonly Grid[], context) => {
    const columns = Math.max(...grids.map((grid) => grid.columns));
    const starts = startsOf(grids.map((grid) => grid.rows));
    return viewOf(
      { rows: starts.end, columns },
      (row, column) => {
        const { index, offset } = starts.find(row);
        return valueIn(grids[index], offset, column);
      },
      context.spend,
    );
  },
  { repeats: 1, takesErrors: true },
);

/** Shorter grids are padded with #N/A. */
function valueIn(grid: Grid | undefined, row: number, column: number): Scalar {
  return grid && row < grid.rows && column < grid.columns ? grid.at(row, column) : ERROR['#N/A'];
}

/** The concatenation of lengths: the total, and the segment of an index. */
function startsOf(lengths: readonly number[]) {
  const starts = [0];
  for (const length of lengths) starts.push((starts.at(-1) ?? 0) + length);
  return {
    end: starts.at(-1) ?? 0,
    find(position: number): { index: number; offset: number } {
      const index = starts.findLastIndex((start) => start <= position);
      return { index, offset: position - (starts[index] ?? 0) };
    },
  };
}

export const TOROW = define(
  'TOROW',
  ['grid', 'scalar', 'scalar'],
  ([grid, ignore, byColumn], context) => {
    const list = listOf(grid, ignore, byColumn, context);
    if (list instanceof CellError) return list;
    return viewOf({ rows: 1, columns: list.length }, (_, index) => list.at(index), context.spend);
  },
  { required: 1 },
);

export const TOCOL = define(
  'TOCOL',
  ['grid', 'scalar', 'scalar'],
  ([grid, ignore, byColumn], context) => {
    const list = listOf(grid, ignore, byColumn, context);
    if (list instanceof CellError) return list;
    return viewOf({ rows: list.length, columns: 1 }, (index) => list.at(index), context.spend);
  },
  { required: 1 },
);

/** All values in one list. `ignore`: 1 omits empty cells, 2 errors, 3 both. */
function listOf(
  grid: Grid,
  ignore: Scalar | undefined,
  byColumn: Scalar | undefined,
  context: CallContext,
): Vector | CellError {
  const left = numberOr(ignore, 0);
  const down = logicalOr(byColumn, false);
  if (left instanceof CellError) return left;
  if (down instanceof CellError) return down;
  if (![0, 1, 2, 3].includes(left)) return ERROR['#VALUE!'];
  const all = inOrder(grid, down);
  if (left === 0) return all;
  const values = left === 2 ? valuesOf(all, context) : filledOf(grid, down, context);
  const remaining =
    left === 1 ? values : filterWithTicks(values, (value) => !(value instanceof CellError), context.spend);
  return remaining.length === 0
    ? ERROR['#CALC!']
    : { length: remaining.length, at: (index) => remaining[index] ?? null };
}

function valuesOf(list: Vector, context: CallContext): Scalar[] {
  context.spend(list.length);
  const tick = clockTicker(context.spend);
  return Array.from({ length: list.length }, (_, index) => {
    tick();
    return list.at(index);
  });
}

/** The non-empty values, row by row or column by column. */
function filledOf(grid: Grid, byColumn: boolean, { spend }: CallContext): Scalar[] {
  const found: { value: Scalar; column: number }[] = [];
  grid.each((value, _row, column) => found.push({ value, column }));
  if (byColumn) {
    const tick = clockTicker(spend);
    found.sort((a, b) => {
      tick();
      return a.column - b.column;
    });
  }
  return mapWithTicks(found, ({ value }) => value, spend);
}

/** The values of a grid, row by row or column by column. */
function inOrder(grid: Grid, byColumn: boolean): Vector {
  const at = byColumn
    ? (index: number) => grid.at(index % grid.rows, Math.floor(index / grid.rows))
    : (index: number) => grid.at(Math.floor(index / grid.columns), index % grid.columns);
  return { length: grid.rows * grid.columns, at };
}

export const WRAPROWS = define(
  'WRAPROWS',
  ['grid', 'number', 'scalar'],
  ([grid, width, padding], context) => {
    const [values, length] = [inOrder(grid, false), Math.trunc(width)];
    if (grid.rows > 1 && grid.columns > 1) return ERROR['#VALUE!'];
    if (length < 1) return ERROR['#NUM!'];
    const columns = Math.min(length, values.length);
    return viewOf(
      { rows: Math.ceil(values.length / length), columns },
      (row, column) => valueOr(values, row * length + column, padding),
      context.spend,
    );
  },
  { required: 2, takesErrors: true },
);

export const WRAPCOLS = define(
  'WRAPCOLS',
  ['grid', 'number', 'scalar'],
  ([grid, height, padding], context) => {
    const [values, length] = [inOrder(grid, false), Math.trunc(height)];
    if (grid.rows > 1 && grid.columns > 1) return ERROR['#VALUE!'];
    if (length < 1) return ERROR['#NUM!'];
    const rows = Math.min(length, values.length);
    return viewOf(
      { rows, columns: Math.ceil(values.length / length) },
      (row, column) => valueOr(values, column * length + row, padding),
      context.spend,
    );
  },
  { required: 2, takesErrors: true },
);

function valueOr(values: Vector, index: number, padding: Scalar | undefined): Scalar {
  return index < values.length ? values.at(index) : (padding ?? ERROR['#N/A']);
}

export const EXPAND = define(
  'EXPAND',
  ['grid', 'scalar', 'scalar', 'scalar'],
  ([grid, tall, wide, padding], context) => {
    const rows = numberOr(tall, grid.rows);
    const columns = numberOr(wide, grid.columns);
    if (rows instanceof CellError) return rows;
    if (columns instanceof CellError) return columns;
    if (rows < grid.rows || columns < grid.columns) return ERROR['#VALUE!'];
    if (rows > MAX_ROWS || columns > MAX_COLUMNS) return ERROR['#NUM!'];
    return viewOf(
      { rows: Math.trunc(rows), columns: Math.trunc(columns) },
      (row, column) =>
        row < grid.rows && column < grid.columns ? grid.at(row, column) : (padding ?? ERROR['#N/A']),
      context.spend,
    );
  },
  { required: 2, takesErrors: true },
);
