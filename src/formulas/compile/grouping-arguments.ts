import { logicalOf, numberOf } from '../conversions.ts';
import { eachPlace, gridOf, isGrid } from '../grids.ts';
import { mapLooking } from '../spending.ts';
import { FormulaSyntaxError, type SyntaxNode } from '../syntax/parse.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../values.ts';
import { type Code, Lambda, type Result, type Scope, settled } from './code.ts';
import type { Compiler } from './compiler.ts';
import { plainValue } from './operands.ts';

/** A function that sums up the values of a group, and what its column is called. */
export interface Summing {
  readonly lambda: Lambda;
  readonly name: string;
}

/** The codes of arguments, of which one may be several functions side by side: HSTACK(SUM,COUNT). */
export function argumentCodes(
  args: readonly (SyntaxNode | null)[],
  functionAt: number,
  most: number,
  within: Compiler,
): { readonly codes: readonly Code[]; readonly functions: readonly { code: Code; name: string }[] } {
  if (args.length <= functionAt || args.length > most)
    throw new FormulaSyntaxError('wrong number of arguments');
  const given = args[functionAt] ?? null;
  const stack = given?.type === 'CallExpression' && given.callee.name.toUpperCase() === 'HSTACK';
  const functions = (stack ? given.arguments : [given]).map((node) => ({
    code: within.compile(node, within),
    name: node?.type === 'ReferenceIdentifier' ? node.value.toUpperCase() : 'LAMBDA',
  }));
  const codes = args.map((one, at) => (at === functionAt ? () => null : within.compile(one, within)));
  return { codes, functions };
}

/** The functions that were given; an error where one is none. */
export function summingOf(
  functions: readonly { code: Code; name: string }[],
  scope: Scope,
): readonly Summing[] | CellError {
  const found: Summing[] = [];
  for (const { code, name } of functions) {
    const lambda = code(scope);
    if (lambda instanceof CellError) return lambda;
    if (!(lambda instanceof Lambda)) return ERROR['#VALUE!'];
    found.push({ lambda, name });
  }
  return found;
}

/** An argument as a grid whose cells are known; undefined of one left out. */
export function gridGiven(result: Result | undefined, scope: Scope): Grid | CellError | undefined {
  const value = plainValue(result ?? null);
  if (value === null) return undefined;
  if (value instanceof CellError) return value;
  if (isGrid(value)) return settled(value, scope.host);
  return typeof value === 'object' ? ERROR['#VALUE!'] : gridOf([[value]], scope.host.spend);
}

/** Whole numbers of an argument, in their order; none of one left out. */
export function numbersGiven(result: Result | undefined, scope: Scope): readonly number[] | CellError {
  const grid = gridGiven(result, scope);
  if (grid === undefined || grid instanceof CellError) return grid ?? [];
  const numbers: number[] = [];
  for (const value of valuesOf(grid, scope)) {
    const number = numberOf(value);
    if (number instanceof CellError) return number;
    numbers.push(Math.trunc(number));
  }
  return numbers;
}

/** Which records count, by an array of truth values as long as there are records. */
export function filterGiven(
  result: Result | undefined,
  records: number,
  scope: Scope,
): ((record: number) => boolean) | CellError {
  const grid = gridGiven(result, scope);
  if (grid === undefined) return () => true;
  if (grid instanceof CellError) return grid;
  const values = valuesOf(grid, scope);
  if (values.length !== records) return ERROR['#VALUE!'];
  const logicals = mapLooking(values, logicalOf, scope.host.spend);
  const error = logicals.find((one) => one instanceof CellError);
  return error ?? ((record) => logicals[record] === true);
}

function valuesOf(grid: Grid, { host }: Scope): Scalar[] {
  const values: Scalar[] = [];
  eachPlace(
    { rows: grid.usedRows, columns: grid.columns, at: (row, column) => grid.at(row, column) },
    (value) => values.push(value),
    host.spend,
  );
  return values;
}
