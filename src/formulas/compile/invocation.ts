import { finite, logicalOf, MAX_TEXT, numberOf, textOf } from '../conversions.ts';
import type { FormulaFunction, Parameter } from '../functions/function.ts';
import { gridOf, isGrid } from '../grids.ts';
import { lookingUp, type Spend } from '../spending.ts';
import { CellError, ERROR, type Grid, type Scalar, Union, type Value } from '../values.ts';
import { computeLifted, isScalar, Lambda, Omitted, plainValue, type Result, type Scope } from './compiler.ts';

/** The kind of the argument at a place; the last ones may come again and again. */
export function parameterOf(one: FormulaFunction, at: number): Parameter {
  const { parameters, repeats = 1 } = one;
  const first = parameters.length - repeats;
  const place = at < parameters.length ? at : first + ((at - first) % repeats);
  return parameters[place] ?? 'any';
}

/** InFlightCalls a function with what its arguments came to, converted as it declares. */
export function invoke(one: FormulaFunction, results: readonly Result[], scope: Scope): Value {
  const given: (Value | undefined)[] = [];
  const lifted: LiftedArgument[] = [];
  for (const [at, result] of results.entries()) {
    const kind = parameterOf(one, at);
    const grid = isScalar(result) ? undefined : liftedGrid(one, kind, plainValue(result));
    if (grid !== undefined)
      lifted.push({ at, grid, convert: (value) => convertFor(one, at, value, scope.host.spend) });
    const value = convertFor(one, at, result, scope.host.spend);
    if (value instanceof CellError && (one.takesErrors !== true || converts(kind))) return value;
    given.push(kind === 'grid' && value instanceof CellError ? gridOf([[value]], scope.host.spend) : value);
  }
  if (lifted.length === 0) return run(one, given, scope);
  return runLifted(one, given, lifted, (all) => run(one, all, scope), scope);
}

/** The grid whose places a function is called for one by one; undefined where it takes the argument as it is. */
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

/** Work that a call costs whatever it does, and what a text costs that it makes. */
const CALL_STEPS = 1;
const CHARACTERS_A_STEP = 8;

function run(one: FormulaFunction, given: readonly (Value | undefined)[], scope: Scope): Value {
  scope.host.spend(CALL_STEPS);
  const value = called(one, given, scope);
  if (typeof value === 'number') return finite(value);
  if (typeof value !== 'string') return value;
  if (value.length > CHARACTERS_A_STEP) scope.host.spend(value.length / CHARACTERS_A_STEP);
  return value.length > MAX_TEXT ? ERROR['#VALUE!'] : value;
}

function called(one: FormulaFunction, given: readonly (Value | undefined)[], { host }: Scope): Value {
  try {
    return one.call(given as readonly never[], host);
  } catch (thrown) {
    throw host.failed(one.name, thrown);
  }
}

/** InFlightCalls of a function cost more than values that are read: some search for their answer in thousands of steps. */
const CALLS_A_LOOK = 16;

/** An argument that a function is called with place by place. */
interface LiftedArgument {
  readonly at: number;
  readonly grid: Grid;
  /** What is made of a single value; of an array of references each is handed on as it is. */
  readonly convert: (value: Scalar) => Value | undefined;
}

/** Whether an array of references is taken one by one at a parameter. */
function takesEachReference(one: FormulaFunction, kind: Parameter, value: Value): value is Grid {
  if (!isGrid(value) || value.reference === undefined) return false;
  return kind === 'grid' || (kind === 'any' && one.eachReference === true);
}

/** A function of single values, or of single references, called for each place of the grids among its arguments. */
function runLifted(
  one: FormulaFunction,
  given: readonly (Value | undefined)[],
  lifted: readonly LiftedArgument[],
  run: (given: readonly (Value | undefined)[]) => Value,
  scope: Scope,
): Value {
  const results = one.makesReferences === true ? [] : undefined;
  const look = lookingUp(scope.host.spend, CALLS_A_LOOK);
  const places = computeLifted(
    lifted.map(({ grid }) => (grid.reference === undefined ? grid : numbered(grid))),
    (values) => {
      look();
      const all = [...given];
      for (const [nth, { at, grid, convert }] of lifted.entries()) {
        const value = placed(grid, values[nth] ?? null, convert);
        if (value instanceof CellError && one.takesErrors !== true) return value;
        all[at] = value;
      }
      return single(run(all), results);
    },
    scope,
  );
  return results === undefined ? places : references(places, results);
}

/** The places of a grid, row by row, in place of what stands there. */
function numbered(grid: Grid): Grid {
  return { ...extentOf(grid), at: (row, column) => row * grid.columns + column, each: () => undefined };
}

function placed(grid: Grid, value: Scalar, convert: LiftedArgument['convert']): Value | undefined {
  if (grid.reference === undefined || typeof value !== 'number') return convert(value);
  return grid.reference(Math.floor(value / grid.columns), value % grid.columns);
}

/** A result as one value; of references the number under which they are kept. */
function single(result: Value, kept: Value[] | undefined): Scalar {
  if (isScalar(result)) return result;
  if (kept !== undefined) return kept.push(result) - 1;
  return isGrid(result) ? result.at(0, 0) : ERROR['#VALUE!'];
}

/** An array of references, of which each shows its first value. */
function references(places: Value, kept: readonly Value[]): Value {
  const found = (place: Scalar): Value => (typeof place === 'number' ? (kept[place] ?? null) : place);
  if (!isGrid(places)) return found(places as Scalar);
  const reference = (row: number, column: number) => found(places.at(row, column));
  const at = (row: number, column: number): Scalar => {
    const value = reference(row, column);
    return isGrid(value) ? value.at(0, 0) : isScalar(value) ? value : ERROR['#VALUE!'];
  };
  return {
    ...extentOf(places),
    reference,
    at,
    each(visit) {
      places.each((_, row, column) => {
        const value = at(row, column);
        if (value !== null) visit(value, row, column);
      });
    },
  };
}

function extentOf({ rows, columns, usedRows, usedColumns }: Grid) {
  return { rows, columns, usedRows, usedColumns };
}
