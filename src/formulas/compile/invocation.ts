import { finite, logicalOf, MAX_TEXT, numberOf, textOf } from '../conversions.ts';
import type { FormulaFunction, Parameter } from '../functions/function.ts';
import { gridOf, isGrid } from '../grids.ts';
import { CellError, ERROR, type Scalar, Union, type Value } from '../values.ts';
import { Lambda, Omitted, type Result, type Scope } from './code.ts';
import { computeLifted, isScalar, plainValue } from './operands.ts';

/** The kind of the argument at a place; the last ones may come again and again. */
export function parameterOf(one: FormulaFunction, at: number): Parameter {
  const { parameters, repeats = 1 } = one;
  const first = parameters.length - repeats;
  const place = at < parameters.length ? at : first + ((at - first) % repeats);
  return parameters[place] ?? 'any';
}

/** Calls a function with what its arguments came to, converted as it declares. */
export function invoke(one: FormulaFunction, results: readonly Result[], scope: Scope): Value {
  const given: Value[] = [];
  const lifted: number[] = [];
  for (const [at, result] of results.entries()) {
    const kind = parameterOf(one, at);
    if (isSingle(kind) && !isScalar(result) && isGrid(plainValue(result))) lifted.push(at);
    const value = isTruthForAddIn(one, kind, result) ? ERROR['#VALUE!'] : convert(kind, result);
    if (value instanceof CellError && (one.takesErrors !== true || converts(kind))) return value;
    given.push(kind === 'grid' && value instanceof CellError ? gridOf([[value]]) : value);
  }
  return lifted.length === 0 ? run(one, given, scope) : runLifted(one, given, lifted, scope);
}

function isSingle(kind: Parameter): boolean {
  return kind !== 'grid' && kind !== 'any';
}

function isTruthForAddIn(one: FormulaFunction, kind: Parameter, value: Result): boolean {
  return one.addIn === true && kind === 'number' && typeof value === 'boolean';
}

function converts(kind: Parameter): boolean {
  return kind === 'number' || kind === 'text' || kind === 'logical';
}

function convert(kind: Parameter, result: Result): Value {
  if (result instanceof Lambda) return ERROR['#CALC!'];
  if (result instanceof Omitted) return convertScalar(kind, null);
  if (isScalar(result)) return convertScalar(kind, result);
  return result instanceof Union && kind !== 'any' ? ERROR['#VALUE!'] : result;
}

function convertScalar(kind: Parameter, value: Scalar): Value {
  if (kind === 'number') return typeof value === 'number' ? value : numberOf(value);
  if (kind === 'text') return textOf(value);
  if (kind === 'logical') return logicalOf(value);
  return kind === 'grid' && !(value instanceof CellError) ? gridOf([[value]]) : value;
}

/** Work that a call costs whatever it does, and what a text costs that it makes. */
const CALL_STEPS = 1;
const CHARACTERS_A_STEP = 8;

function run(one: FormulaFunction, given: readonly Value[], scope: Scope): Value {
  scope.host.spend(CALL_STEPS);
  const value = called(one, given, scope);
  if (typeof value === 'number') return finite(value);
  if (typeof value !== 'string') return value;
  if (value.length > CHARACTERS_A_STEP) scope.host.spend(value.length / CHARACTERS_A_STEP);
  return value.length > MAX_TEXT ? ERROR['#VALUE!'] : value;
}

function called(one: FormulaFunction, given: readonly Value[], { host }: Scope): Value {
  try {
    return one.call(given as readonly never[], host);
  } catch (thrown) {
    throw host.failed(one.name, thrown);
  }
}

/** A function of single values, called for each place of the grids among them. */
function runLifted(
  one: FormulaFunction,
  given: readonly Value[],
  lifted: readonly number[],
  scope: Scope,
): Value {
  const single = given.flatMap((_, at) => (isSingle(parameterOf(one, at)) ? [at] : []));
  return computeLifted(
    single.map((at) => given[at] as Value),
    (values) => {
      const all = [...given];
      for (const [nth, at] of single.entries()) {
        const value = lifted.includes(at)
          ? convertScalar(parameterOf(one, at), values[nth] ?? null)
          : (given[at] as Scalar);
        if (value instanceof CellError && one.takesErrors !== true) return value;
        all[at] = value;
      }
      const result = run(one, all, scope);
      return isScalar(result) ? result : isGrid(result) ? result.at(0, 0) : ERROR['#VALUE!'];
    },
    scope,
  );
}
