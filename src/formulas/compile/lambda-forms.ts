import { numberOf } from '../conversions.ts';
import { gridOf, isGrid } from '../grids.ts';
import { clockTicker } from '../steps.ts';
import { FormulaSyntaxError, type SyntaxNode } from '../syntax/parse.ts';
import { CellError, ERROR, type Grid, type Scalar, Union, type Value } from '../values.ts';
import {
  type Code,
  type Compiler,
  demandGrid,
  isScalar,
  Lambda,
  OMITTED,
  Omitted,
  operandOf,
  plainValue,
  type Result,
  type Scope,
} from './compiler.ts';

/** Most nested calls of LAMBDAs; deeper ones are #NUM!. */
const MAX_DEPTH = 512;

/** The code that calls the result of a name or an expression. */
export function applyResult(callee: Code, args: readonly Code[]): Code {
  return (scope) => {
    const lambda = callee(scope);
    if (lambda instanceof CellError) return lambda;
    return apply(
      lambda,
      args.map((one) => one(scope)),
      scope,
    );
  };
}

/**
 * Calls a LAMBDA. Missing optional arguments are omitted; a wrong number of arguments, or a callee that is no LAMBDA, is
 * #VALUE!.
 */
export function apply(lambda: Result, args: readonly Result[], scope: Scope): Result {
  if (!(lambda instanceof Lambda)) return ERROR['#VALUE!'];
  if (args.length < lambda.required || args.length > lambda.parameters) return ERROR['#VALUE!'];
  if (scope.depth >= MAX_DEPTH) return ERROR['#NUM!'];
  scope.host.spend(1);
  const omitted = Array.from({ length: lambda.parameters - args.length }, () => OMITTED);
  const locals = [...lambda.captured, ...args, ...omitted];
  return lambda.body({ ...scope, locals, depth: scope.depth + 1 });
}

/** Computes with the results of the arguments; the last argument is a LAMBDA. */
type LambdaForm = (lambda: Lambda, results: readonly Result[], scope: Scope) => Value;

/** The functions that call a LAMBDA for each cell, row or column of arrays. */
export const LAMBDA_FORMS: Readonly<
  Record<string, (args: readonly (SyntaxNode | null)[], within: Compiler) => Code>
> = {
  MAP: form(2, Number.POSITIVE_INFINITY, map),
  REDUCE: form(3, 3, reduce),
  SCAN: form(3, 3, scan),
  BYROW: form(2, 2, byRow),
  BYCOL: form(2, 2, byColumn),
  MAKEARRAY: form(3, 3, makeArray),
};

function form(least: number, most: number, compute: LambdaForm) {
  return (args: readonly (SyntaxNode | null)[], within: Compiler): Code => {
    if (args.length < least || args.length > most) throw new FormulaSyntaxError('wrong number of arguments');
    const codes = args.map((one) => within.compile(one, within));
    return (scope) => {
      const results = codes.map((code) => code(scope));
      const lambda = results.pop();
      const error = [lambda, ...results].find((one) => one instanceof CellError);
      if (error instanceof CellError) return error;
      return lambda instanceof Lambda ? compute(lambda, results, scope) : ERROR['#VALUE!'];
    };
  };
}

/** An argument as a grid of computed cells. */
function gridFrom(result: Result | undefined, scope: Scope): Grid | CellError {
  const value = plainValue(result ?? null);
  if (value instanceof Union) return ERROR['#VALUE!'];
  return isGrid(value) ? demandGrid(value, scope.host) : gridOf([[value]], scope.host.spend);
}

/** The result of a LAMBDA for one cell: an array is #CALC!. */
function single(result: Result, scope: Scope): Scalar {
  if (result instanceof Lambda || result instanceof Omitted) return ERROR['#CALC!'];
  const value = operandOf(result, scope.host);
  return isScalar(value) ? value : ERROR['#CALC!'];
}

/** Computes a grid cell by cell; counts its steps in advance. */
function build(
  rows: number,
  columns: number,
  scope: Scope,
  at: (row: number, column: number) => Scalar,
): Grid {
  scope.host.spend(rows * columns);
  const tick = clockTicker(scope.host.spend);
  const values: Scalar[][] = [];
  for (let row = 0; row < rows; row++) {
    const line: Scalar[] = [];
    for (let column = 0; column < columns; column++) {
      tick();
      line.push(at(row, column));
    }
    values.push(line);
  }
  return gridOf(values, scope.host.spend);
}

function map(lambda: Lambda, results: readonly Result[], scope: Scope): Value {
  const grids: Grid[] = [];
  for (const result of results) {
    const grid = gridFrom(result, scope);
    if (grid instanceof CellError) return grid;
    grids.push(grid);
  }
  const rows = Math.max(...grids.map((grid) => grid.rows));
  const columns = Math.max(...grids.map((grid) => grid.columns));
  return build(rows, columns, scope, (row, column) =>
    single(
      apply(
        lambda,
        grids.map((grid) => cellAt(grid, row, column)),
        scope,
      ),
      scope,
    ),
  );
}

function cellAt(grid: Grid, row: number, column: number): Scalar {
  return row < grid.rows && column < grid.columns ? grid.at(row, column) : ERROR['#N/A'];
}

function reduce(lambda: Lambda, [initial, over]: readonly Result[], scope: Scope): Value {
  const grid = gridFrom(over, scope);
  if (grid instanceof CellError) return grid;
  let value: Result = initial ?? null;
  for (let row = 0; row < grid.rows; row++) {
    for (let column = 0; column < grid.columns; column++)
      value = apply(lambda, [value, grid.at(row, column)], scope);
  }
  return plainValue(value);
}

function scan(lambda: Lambda, [initial, over]: readonly Result[], scope: Scope): Value {
  const grid = gridFrom(over, scope);
  if (grid instanceof CellError) return grid;
  let value: Result = initial ?? null;
  return build(grid.rows, grid.columns, scope, (row, column) => {
    value = apply(lambda, [value, grid.at(row, column)], scope);
    return single(value, scope);
  });
}

function byRow(lambda: Lambda, [over]: readonly Result[], scope: Scope): Value {
  const grid = gridFrom(over, scope);
  if (grid instanceof CellError) return grid;
  return build(grid.rows, 1, scope, (row) =>
    single(apply(lambda, [subgrid(grid, row, 0, 1, grid.columns, scope)], scope), scope),
  );
}

function byColumn(lambda: Lambda, [over]: readonly Result[], scope: Scope): Value {
  const grid = gridFrom(over, scope);
  if (grid instanceof CellError) return grid;
  return build(1, grid.columns, scope, (_, column) =>
    single(apply(lambda, [subgrid(grid, 0, column, grid.rows, 1, scope)], scope), scope),
  );
}

/** A subrange of a grid; of a reference, a reference. */
function subgrid(grid: Grid, top: number, left: number, rows: number, columns: number, scope: Scope): Grid {
  const { area } = grid;
  if (area === undefined)
    return build(rows, columns, scope, (row, column) => grid.at(top + row, left + column));
  const [first, start] = [area.top + top, area.left + left];
  return scope.host.reference({
    sheet: area.sheet,
    top: first,
    left: start,
    bottom: first + rows - 1,
    right: start + columns - 1,
  });
}

function makeArray(lambda: Lambda, results: readonly Result[], scope: Scope): Value {
  const [rows, columns] = results.map((one) => numberOf(single(one, scope)));
  if (rows === undefined || rows instanceof CellError) return rows ?? ERROR['#VALUE!'];
  if (columns === undefined || columns instanceof CellError) return columns ?? ERROR['#VALUE!'];
  if (rows < 1 || columns < 1) return ERROR['#VALUE!'];
  return build(Math.floor(rows), Math.floor(columns), scope, (row, column) =>
    single(apply(lambda, [row + 1, column + 1], scope), scope),
  );
}
