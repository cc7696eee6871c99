import { CellError, ERROR, type Grid, type Value } from '../../values.ts';
import { viewOf } from '../aggregates.ts';
import { define } from '../function.ts';
import { subgrid } from '../lookup/references.ts';
import { numberOr } from '../numbers.ts';

export const TAKE = define(
  'TAKE',
  ['grid', 'scalar', 'scalar'],
  ([grid, tall, wide], context) => {
    const rows = takenSpan(numberOr(tall, grid.rows), grid.rows);
    const columns = takenSpan(numberOr(wide, grid.columns), grid.columns);
    if (rows instanceof CellError) return rows;
    if (columns instanceof CellError) return columns;
    return subgrid(grid, rows.start, columns.start, rows.count, columns.count, context);
  },
  { required: 2 },
);

export const DROP = define(
  'DROP',
  ['grid', 'scalar', 'scalar'],
  ([grid, tall, wide], context) => {
    const rows = droppedSpan(numberOr(tall, 0), grid.rows);
    const columns = droppedSpan(numberOr(wide, 0), grid.columns);
    if (rows instanceof CellError) return rows;
    if (columns instanceof CellError) return columns;
    return subgrid(grid, rows.start, columns.start, rows.count, columns.count, context);
  },
  { required: 2 },
);

interface Span {
  readonly start: number;
  readonly count: number;
}

/** The first so many, or the last when negative. */
function takenSpan(given: number | CellError, length: number): Span | CellError {
  if (given instanceof CellError) return given;
  const count = Math.min(Math.abs(Math.trunc(given)), length);
  if (count === 0) return ERROR['#CALC!'];
  return { start: given < 0 ? length - count : 0, count };
}

/** All except the first so many, or except the last when negative. */
function droppedSpan(given: number | CellError, length: number): Span | CellError {
  if (given instanceof CellError) return given;
  const count = length - Math.abs(Math.trunc(given));
  if (count <= 0) return ERROR['#CALC!'];
  return { start: given > 0 ? length - count : 0, count };
}

export const CHOOSEROWS = define(
  'CHOOSEROWS',
  ['grid', 'grid'],
  ([grid, ...numbers], context) => {
    const rows = indexesOf(numbers, grid.rows);
    if (rows instanceof CellError) return rows;
    return viewOf(
      { rows: rows.length, columns: grid.columns, usedColumns: grid.usedColumns },
      (row, column) => grid.at(rows[row] ?? 0, column),
      context.spend,
    );
  },
  { repeats: 1 },
);

export const CHOOSECOLS = define(
  'CHOOSECOLS',
  ['grid', 'grid'],
  ([grid, ...numbers], context) => {
    const columns = indexesOf(numbers, grid.columns);
    if (columns instanceof CellError) return columns;
    return viewOf(
      { rows: grid.rows, columns: columns.length, usedRows: grid.usedRows },
      (row, column) => grid.at(row, columns[column] ?? 0),
      context.spend,
    );
  },
  { repeats: 1 },
);

/** Converts positions counted from 1, or from the end when negative, to indexes from 0. */
function indexesOf(grids: readonly Grid[], length: number): number[] | CellError {
  const indexes: number[] = [];
  let wrong: CellError | undefined;
  for (const grid of grids) {
    grid.each((value) => {
      const number = numberOr(value, 0);
      const position = typeof number === 'number' ? Math.trunc(number) : 0;
      if (number instanceof CellError) wrong ??= number;
      else if (position === 0 || Math.abs(position) > length) wrong ??= ERROR['#VALUE!'];
      else indexes.push(position > 0 ? position - 1 : length + position);
    });
  }
  return wrong ?? (indexes.length > 0 ? indexes : ERROR['#VALUE!']);
}

export const TRIMRANGE = define(
  'TRIMRANGE',
  ['grid', 'scalar', 'scalar'],
  ([grid, rows, columns], context): Value => {
    const tall = numberOr(rows, 3);
    const wide = numberOr(columns, 3);
    if (tall instanceof CellError) return tall;
    if (wide instanceof CellError) return wide;
    const edges = usedEdges(grid, context);
    if (edges === undefined) return ERROR['#REF!'];
    const top = tall & 1 ? edges.top : 0;
    const left = wide & 1 ? edges.left : 0;
    const bottom = tall & 2 ? edges.bottom : grid.rows - 1;
    const right = wide & 2 ? edges.right : grid.columns - 1;
    return subgrid(grid, top, left, bottom - top + 1, right - left + 1, context);
  },
  { required: 1 },
);

function usedEdges(grid: Grid, context: { spend(steps: number): void }) {
  let edges: { top: number; left: number; bottom: number; right: number } | undefined;
  grid.each((_, row, column) => {
    context.spend(1);
    edges ??= { top: row, left: column, bottom: row, right: column };
    edges.top = Math.min(edges.top, row);
    edges.left = Math.min(edges.left, column);
    edges.bottom = Math.max(edges.bottom, row);
    edges.right = Math.max(edges.right, column);
  });
  return edges;
}
