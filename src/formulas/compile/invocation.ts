import { finiteOrError, logicalOf, MAX_TEXT, numberOf, textOf } from '../conversions.ts';
import type { FormulaFunction, Parameter } from '../functions/function.ts';
import { gridOf, isGrid } from '../grids.ts';
import { clockTicker, type Spend } from '../steps.ts';
import { CellError, ERROR, type Grid, type Scalar, Union, type Value } from '../values.ts';
import { computeLifted, isScalar, Lambda, Omitted, plainValue, type Result, type Scope } from './compiler.ts';

/** The kind of the parameter at an index; the last ones may repeat. */
export function parameterOf(one: FormulaFunction, at: number): Parameter {
  const { parameters, repeats = 1 } = one;
  const first = parameters.length - repeats;
  const index = at < parameters.length ? at : first + ((at - first) % repeats);
  return parameters[index] ?? 'any';
}

/** Calls a function with the results of its arguments, converted as its parameters declare. */
export function invoke(one: FormulaFunction, results: readonly Result[], scope: Scope): Value {
  const given: (Value | undefined)[] = [];
  const lifted: LiftedArgument[] = [];
  for (const [at, result] of results.entries()) {
    const kind = parameterOf(one, at);
    const grid = isScalar(result) ? undefined : liftedGrid(one, kind, plainValue(result));
    if (grid !== undefined)
      lifted.push({ at, grid, convert: (value) => convertFor(one, at, value, scope.host.spend) });
    const value = convertFor(one, at, result, scope.host.spend);
    if (value instanceof CellError && (converts(kind) || !takesError(one, kind))) return value;
    given.push(kind === 'grid' && value instanceof CellError ? gridOf([[value]], scope.host.spend) : value);
  }
  if (lifted.length === 0) return run(one, given, scope);
  return runLifted(one, given, lifted, (all) => run(one, all, scope), scope);
}

/** The grid to call the function for, cell by cell; undefined when the function takes the argument as a whole. */
function liftedGrid(one: FormulaFunction, kind: Parameter, value: Value): Grid | undefined {
  if (takesEachReference(one, kind, value)) return value;
  return isSingle(kind) && isGrid(value) ? value : undefined;
}

function isSingle(kind: Parameter): boolean {
  return kind !== 'grid' && kind !== 'any';
}

function convertFor(one: FormulaFunction, at: number, result: Result, spend: Spend): Value | undefined {
  const kind = parameterOf(one, at);
  const isLeftOut = result instanceof Omitted || (result === null && one.leftOutBy === 'emptyCell');
  if (isLeftOut && at >= one.required && one.leftOutBy !== undefined) return undefined;
  const isTruth = one.addIn === true && kind === 'number' && typeof result === 'boolean';
  return isTruth ? ERROR['#VALUE!'] : convert(kind, result, spend);
}

/** A reference that leads nowhere would pass for a cell with an error, and COUNTIF would find nothing in it. */
function takesError(one: FormulaFunction, kind: Parameter): boolean {
  return one.takesErrors === true || (one.takesErrors === 'exceptAsCells' && kind !== 'grid');
}

function converts(kind: Parameter): boolean {
  return kind === 'number' || kind === 'text' || kind === 'logical';
}

function convert(kind: Parameter, result: Result, spend: Spend): Value {
  if (result instanceof Lambda) return ERROR['#CALC!'];
  if (result instanceof Omitted) return convertScalar(kind, null, spend);
  if (isScalar(result)) return convertScalar(kind, result, spend);
  return result instanceof Union && kind !== 'any' ? ERROR['#VALUE!'] : result;
}

function convertScalar(kind: Parameter, value: Scalar, spend: Spend): Value {
  if (kind === 'number') return typeof value === 'number' ? value : numberOf(value);
  if (kind === 'text') return textOf(value);
  if (kind === 'logical') return logicalOf(value);
  return kind === 'grid' && !(value instanceof CellError) ? gridOf([[value]], spend) : value;
}

/** The steps of any call, and the characters of a result text for each step. */
const CALL_STEPS = 1;
const CHARACTERS_A_STEP = 8;

function run(one: FormulaFunction, given: readonly (Value | undefined)[], scope: Scope): Value {
  scope.host.spend(CALL_STEPS);
  const value = callFunction(one, given, scope);
  if (typeof value === 'number') return finiteOrError(value);
  if (typeof value !== 'string') return value;
  if (value.length > CHARACTERS_A_STEP) scope.host.spend(value.length / CHARACTERS_A_STEP);
  return value.length > MAX_TEXT ? ERROR['#VALUE!'] : value;
}

function callFunction(one: FormulaFunction, given: readonly (Value | undefined)[], { host }: Scope): Value {
  try {
    return one.call(given as readonly never[], host);
  } catch (thrown) {
    throw host.failed(one.name, thrown);
  }
}

/** Calls cost more than reading values: some functions search for their result in thousands of steps. */
const CALLS_PER_CHECK = 16;

/** An argument that the function is called with cell by cell. */
interface LiftedArgument {
  readonly at: number;
  readonly grid: Grid;
  /** Converts a single value; references of an array pass unchanged. */
  readonly convert: (value: Scalar) => Value | undefined;
}

/** Whether the parameter takes an array of references one by one. */
function takesEachReference(one: FormulaFunction, kind: Parameter, value: Value): value is Grid {
  if (!isGrid(value) || value.reference === undefined) return false;
  return kind === 'grid' || (kind === 'any' && one.eachReference === true);
}

/** Calls a function of single values, or single references, for each cell of the grids among its arguments. */
function runLifted(
  one: FormulaFunction,
  given: readonly (Value | undefined)[],
  lifted: readonly LiftedArgument[],
  run: (given: readonly (Value | undefined)[]) => Value,
  scope: Scope,
): Value {
  const results = one.makesReferences === true ? [] : undefined;
  const tick = clockTicker(scope.host.spend, CALLS_PER_CHECK);
  const values = computeLifted(
    lifted.map(({ grid }) => (grid.reference === undefined ? grid : cellIndexes(grid))),
    (single) => {
      tick();
      const all = [...given];
      for (const [nth, { at, grid, convert }] of lifted.entries()) {
        const value = liftedValue(grid, single[nth] ?? null, convert);
        if (value instanceof CellError && !takesError(one, parameterOf(one, at))) return value;
        all[at] = value;
      }
      return singleValue(run(all), results);
    },
    scope,
  );
  return results === undefined ? values : references(values, results);
}

/** A grid of the same shape with the row-major index of each cell as its value. */
function cellIndexes(grid: Grid): Grid {
  return { ...extentOf(grid), at: (row, column) => row * grid.columns + column, each: () => undefined };
}

function liftedValue(grid: Grid, value: Scalar, convert: LiftedArgument['convert']): Value | undefined {
  if (grid.reference === undefined || typeof value !== 'number') return convert(value);
  return grid.reference(Math.floor(value / grid.columns), value % grid.columns);
}

/** A result as a single value; a reference is stored, and its index is the value. */
function singleValue(result: Value, stored: Value[] | undefined): Scalar {
  if (isScalar(result)) return result;
  if (stored !== undefined) return stored.push(result) - 1;
  return isGrid(result) ? result.at(0, 0) : ERROR['#VALUE!'];
}

/** An array of references; each cell shows the first value of its reference. */
function references(indexes: Value, stored: readonly Value[]): Value {
  const found = (index: Scalar): Value => (typeof index === 'number' ? (stored[index] ?? null) : index);
  if (!isGrid(indexes)) return found(indexes as Scalar);
  const reference = (row: number, column: number) => found(indexes.at(row, column));
  const at = (row: number, column: number): Scalar => {
    const value = reference(row, column);
    return isGrid(value) ? value.at(0, 0) : isScalar(value) ? value : ERROR['#VALUE!'];
  };
  return {
    ...extentOf(indexes),
    reference,
    at,
    each(visit) {
      indexes.each((_, row, column) => {
        const value = at(row, column);
        if (value !== null) visit(value, row, column);
      });
    },
  };
}

function extentOf({ rows, columns, usedRows, usedColumns }: Grid) {
  return { rows, columns, usedRows, usedColumns };
}
