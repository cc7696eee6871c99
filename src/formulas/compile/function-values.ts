import type { FormulaFunction } from '../functions/function.ts';
import { findFunction } from '../functions/registry.ts';
import { ERROR } from '../values.ts';
import { type Code, Lambda, Omitted } from './code.ts';
import { invoke } from './invocation.ts';

/** Arguments that a function may be called with as a value where it takes any number of them. */
const MOST = 8;

/** The code of a function that is named without a call, as in BYROW(A1:C3,SUM): a value to be called; #NAME? of no function. */
export function functionNamed(name: string): Code {
  const one = findFunction(name.toUpperCase());
  if (one === undefined) return () => ERROR['#NAME?'];
  const lambda = asValue(one);
  return () => lambda;
}

function asValue(one: FormulaFunction): Lambda {
  const most = one.repeats === undefined ? one.parameters.length : Math.max(MOST, one.parameters.length);
  const body: Code = (scope) => {
    const given = scope.locals.filter((argument) => !(argument instanceof Omitted));
    return given.length < one.required ? ERROR['#VALUE!'] : invoke(one, given, scope);
  };
  return new Lambda(most, body, [], one.required);
}
