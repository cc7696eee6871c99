import type { FormulaFunction } from '../functions/function.ts';
import { findFunction } from '../functions/registry.ts';
import type { CallExpression } from '../syntax/formula-library.ts';
import { FormulaSyntaxError, type SyntaxNode } from '../syntax/parse.ts';
import { ERROR } from '../values.ts';
import { type Code, OMITTED } from './code.ts';
import type { Compiler } from './compiler.ts';
import { GROUPING_FORMS } from './grouping-forms.ts';
import { invoke, parameterOf } from './invocation.ts';
import { applied } from './lambda-calls.ts';
import { LAMBDA_FORMS } from './lambda-forms.ts';
import { atSign, spillOf } from './signs.ts';
import { SPECIAL_FORMS } from './special-forms.ts';

/** The code of a call: of a form that chooses what is evaluated, of a function, or of a name that stands for a LAMBDA. */
export function compileCall(node: CallExpression, within: Compiler): Code {
  const callee = node.callee as SyntaxNode | CallExpression['callee'];
  if (callee.type !== 'Identifier')
    return applied(within.compile(callee as SyntaxNode, within), argumentCodes(node, within));
  const name = callee.name.toUpperCase();
  if (within.locals.includes(name)) return compileNamed(node, within);
  const form = FORMS[name];
  if (form !== undefined) return form(node.arguments, within);
  const found = findFunction(name);
  return found === undefined ? compileNamed(node, within) : compileFunction(found, node, within);
}

type Form = (args: readonly (SyntaxNode | null)[], within: Compiler) => Code;

/** What files write for `@` and `#`. */
const SIGNS: Readonly<Record<string, Form>> = {
  SINGLE: ([of], within) => atSign(within.compile(of ?? null, within)),
  ANCHORARRAY: ([of], within) => spillOf(within.compile(of ?? null, within)),
};
const FORMS: Readonly<Record<string, Form | undefined>> = {
  ...SPECIAL_FORMS,
  ...LAMBDA_FORMS,
  ...GROUPING_FORMS,
  ...SIGNS,
};

/** The names that are computed by the compiler itself. */
export const FORM_NAMES: readonly string[] = [
  ...Object.keys(SPECIAL_FORMS),
  ...Object.keys(LAMBDA_FORMS),
  ...Object.keys(GROUPING_FORMS),
  'LET',
  'LAMBDA',
];

function argumentCodes(node: CallExpression, within: Compiler): Code[] {
  return node.arguments.map((one) => (one === null ? () => OMITTED : within.compile(one, within)));
}

/** A name that stands for no LAMBDA is #NAME?, as a function that is unknown. */
function compileNamed(node: CallExpression, within: Compiler): Code {
  const name: SyntaxNode = { type: 'ReferenceIdentifier', kind: 'name', value: node.callee.name };
  return applied(within.compile(name, within), argumentCodes(node, within));
}

function compileFunction(one: FormulaFunction, node: CallExpression, within: Compiler): Code {
  const count = node.arguments.length;
  const most = one.repeats === undefined ? one.parameters.length : Number.POSITIVE_INFINITY;
  if (count < one.required || count > most)
    throw new FormulaSyntaxError(`${one.name} does not take ${count} arguments`);
  within.volatile ||= one.volatile === true;
  const codes = node.arguments.map((argument, at): Code => {
    if (argument === null && one.addIn === true) return () => ERROR['#N/A'];
    if (argument === null && one.leftOutBy !== undefined) return () => OMITTED;
    const kind = parameterOf(one, at);
    const asItIs = kind === 'grid' || kind === 'any';
    return asItIs ? within.compile(argument, within) : within.compileOperand(argument, within);
  });
  if (codes.length === 0 && one.parameters.length === 0) return (scope) => invoke(one, [], scope);
  return (scope) =>
    invoke(
      one,
      codes.map((code) => code(scope)),
      scope,
    );
}
