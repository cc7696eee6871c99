import { makeGrid } from '../../grids.ts';
import { CellError, ERROR, type Grid, type Scalar, type Value } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { logicalOr, numberOr } from '../optional.ts';

export const TRANSPOSE = define('TRANSPOSE', ['grid'], ([grid], context) => {
  context.spend(grid.rows * grid.columns);
  return makeGrid(grid.columns, grid.rows, (row, column) => grid.at(column, row));
});

export const HSTACK = define(
  'HSTACK',
  ['grid'],
  (grids: readonly Grid[], context) => {
    const rows = Math.max(...grids.map((grid) => grid.rows));
    const places = grids.flatMap((grid) =>
      Array.from({ length: grid.columns }, (_, column) => ({ grid, column })),
    );
    context.spend(rows * places.length);
    return makeGrid(rows, places.length, (row, at) => {
      const { grid, column } = places[at] as (typeof places)[number];
      return row < grid.rows ? grid.at(row, column) : ERROR['#N/A'];
    });
  },
  { repeats: 1, takesErrors: true },
);

export const VSTACK = define(
  'VSTACK',
  ['grid'],
  (grids: readonly Grid[], context) => {
    const columns = Math.max(...grids.map((grid) => grid.columns));
    const places = grids.flatMap((grid) => Array.from({ length: grid.rows }, (_, row) => ({ grid, row })));
    context.spend(columns * places.length);
    return makeGrid(places.length, columns, (at, column) => {
      const { grid, row } = places[at] as (typeof places)[number];
      return column < grid.columns ? grid.at(row, column) : ERROR['#N/A'];
    });
  },
  { repeats: 1, takesErrors: true },
);

export const TOROW = define(
  'TOROW',
  ['grid', 'scalar', 'scalar'],
  ([grid, ignore, byColumn], context) =>
    listed(grid, ignore, byColumn, context, (values) =>
      makeGrid(1, values.length, (_, index) => values[index] ?? null),
    ),
  { required: 1 },
);

export const TOCOL = define(
  'TOCOL',
  ['grid', 'scalar', 'scalar'],
  ([grid, ignore, byColumn], context) =>
    listed(grid, ignore, byColumn, context, (values) =>
      makeGrid(values.length, 1, (index) => values[index] ?? null),
    ),
  { required: 1 },
);

/** All values one after the other. `ignore`: 1 leaves out what is empty, 2 errors, 3 both. */
function listed(
  grid: Grid,
  ignore: Scalar | undefined,
  byColumn: Scalar | undefined,
  context: CallContext,
  make: (values: Scalar[]) => Value,
): Value {
  const left = numberOr(ignore, 0);
  const down = logicalOr(byColumn, false);
  if (left instanceof CellError) return left;
  if (down instanceof CellError) return down;
  if (![0, 1, 2, 3].includes(left)) return ERROR['#VALUE!'];
  const keeps = (value: Scalar): boolean =>
    !((left & 1) !== 0 && value === null) && !((left & 2) !== 0 && value instanceof CellError);
  const values = inOrder(grid, down, context).filter(keeps);
  return values.length === 0 ? ERROR['#CALC!'] : make(values);
}

/** The values of a grid row by row, or column by column. */
function inOrder(grid: Grid, byColumn: boolean, context: CallContext): Scalar[] {
  const count = grid.rows * grid.columns;
  context.spend(count);
  return Array.from({ length: count }, (_, index) =>
    byColumn
      ? grid.at(index % grid.rows, Math.floor(index / grid.rows))
      : grid.at(Math.floor(index / grid.columns), index % grid.columns),
  );
}

export const WRAPROWS = define(
  'WRAPROWS',
  ['grid', 'number', 'scalar'],
  ([grid, width, padding], context) => {
    const [values, length] = [inOrder(grid, false, context), Math.trunc(width)];
    if (grid.rows > 1 && grid.columns > 1) return ERROR['#VALUE!'];
    if (length < 1) return ERROR['#NUM!'];
    const columns = Math.min(length, values.length);
    return makeGrid(Math.ceil(values.length / length), columns, (row, column) =>
      valueOr(values, row * length + column, padding),
    );
  },
  { required: 2, takesErrors: true },
);

export const WRAPCOLS = define(
  'WRAPCOLS',
  ['grid', 'number', 'scalar'],
  ([grid, height, padding], context) => {
    const [values, length] = [inOrder(grid, false, context), Math.trunc(height)];
    if (grid.rows > 1 && grid.columns > 1) return ERROR['#VALUE!'];
    if (length < 1) return ERROR['#NUM!'];
    const rows = Math.min(length, values.length);
    return makeGrid(rows, Math.ceil(values.length / length), (row, column) =>
      valueOr(values, column * length + row, padding),
    );
  },
  { required: 2, takesErrors: true },
);

function valueOr(values: readonly Scalar[], index: number, padding: Scalar | undefined): Scalar {
  return index < values.length ? (values[index] ?? null) : (padding ?? ERROR['#N/A']);
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
    context.spend(rows * columns);
    return makeGrid(Math.trunc(rows), Math.trunc(columns), (row, column) =>
      row < grid.rows && column < grid.columns ? grid.at(row, column) : (padding ?? ERROR['#N/A']),
    );
  },
  { required: 2, takesErrors: true },
);
