import { makeGrid } from '../grids.ts';
import { filterLooking } from '../spending.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../values.ts';
import type { Result, Scope } from './code.ts';
import { filterGiven, gridGiven, numbersGiven, type Summing } from './grouping-arguments.ts';
import { apply } from './lambda-calls.ts';
import { isScalar, operandOf } from './operands.ts';

/** Records to sum up: the fields of each by one or two sides, their values, and what is called what. */
export interface Records {
  readonly sides: readonly Grid[];
  readonly values: Grid;
  /** The rows that are records and count. */
  readonly rows: readonly number[];
  readonly showsHeaders: boolean;
  /** What a column is called: by the first row where that has headers. */
  header(grid: Grid, column: number, otherwise: string): Scalar;
}

/** Reads the fields of records and their values, which have as many rows. */
export function recordsOf(
  sides: readonly Result[],
  values: Result | undefined,
  headers: Result | undefined,
  filter: Result | undefined,
  scope: Scope,
): Records | CellError {
  const grids: Grid[] = [];
  for (const one of [...sides, values]) {
    const grid = gridGiven(one, scope);
    if (grid === undefined || grid instanceof CellError) return grid ?? ERROR['#VALUE!'];
    grids.push(grid);
  }
  const table = grids.pop() as Grid;
  if (grids.some((grid) => grid.rows !== table.rows)) return ERROR['#VALUE!'];
  const asked = numbersGiven(headers, scope);
  if (asked instanceof CellError) return asked;
  const { has, shows } = headersOf(asked[0], table, grids);
  const used = Math.max(...[...grids, table].map((grid) => grid.usedRows));
  const counts = filterGiven(filter, table.rows, scope);
  if (counts instanceof CellError) return counts;
  scope.host.spend(used * (table.columns + grids.length));
  const places = Array.from({ length: used }, (_, row) => row);
  const counted = (row: number) => (row > 0 || !has) && counts(row);
  const rows = filterLooking(places, counted, scope.host.spend);
  if (rows.length === 0) return ERROR['#CALC!'];
  const header = (grid: Grid, column: number, otherwise: string) => (has ? grid.at(0, column) : otherwise);
  return { sides: grids, values: table, rows, showsHeaders: shows, header };
}

/** 0 no headers, 1 there are and they are not shown, 2 there are none and some are made, 3 there are and are shown. */
function headersOf(
  asked: number | undefined,
  values: Grid,
  sides: readonly Grid[],
): { has: boolean; shows: boolean } {
  if (asked !== undefined) return { has: asked === 1 || asked === 3, shows: asked === 2 || asked === 3 };
  const has = typeof values.at(0, 0) === 'string' && typeof values.at(1, 0) === 'number';
  return { has, shows: has && sides.some((side) => side.columns > 1) };
}

/** The fields of a record on one side. */
export function fieldsOf(side: Grid, row: number): Scalar[] {
  return Array.from({ length: side.columns }, (_, column) => side.at(row, column) ?? '');
}

/** What a function makes of a column of values of some records; one that wants two arguments gets those of a whole too. */
export function summed(
  { lambda }: Summing,
  values: Grid,
  column: number,
  records: readonly number[],
  whole: readonly number[],
  scope: Scope,
): Scalar {
  const columnOf = (rows: readonly number[]) =>
    makeGrid(
      { rows: rows.length, columns: 1 },
      (row) => values.at(rows[row] as number, column),
      scope.host.spend,
    );
  scope.host.spend(records.length);
  const given = lambda.wanted > 1 ? [columnOf(records), columnOf(whole)] : [columnOf(records)];
  const value = operandOf(apply(lambda, given, scope), scope.host);
  return isScalar(value) ? value : ERROR['#CALC!'];
}
