import { finite, logicalOf, MAX_TEXT, numberOf, textOf } from '../conversions.ts';
import type { FormulaFunction, Parameter } from '../functions/function.ts';
import { gridOf, isGrid } from '../grids.ts';
import type { Spend } from '../spending.ts';
import { CellError, ERROR, type Grid, type Scalar, Union, type Value } from '../values.ts';
import { Lambda, Omitted, type Result, type Scope } from './code.ts';
import { type LiftedArgument, runLifted, takesEachReference } from './lifted-calls.ts';
import { isScalar, plainValue } from './operands.ts';

/** The kind of the argument at a place; the last ones may come again and again. */
export function parameterOf(one: FormulaFunction, at: number): Parameter {
  const { parameters, repeats = 1 } = one;
  const first = parameters.length - repeats;
  const place = at < parameters.length ? at : first + ((at - first) % repeats);
  return parameters[place] ?? 'any';
}

/** Calls a function with what its arguments came to, converted as it declares. */
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
