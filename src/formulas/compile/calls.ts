import { logicalOf, numberOf } from '../conversions.ts';
import type { FormulaFunction } from '../functions/function.ts';
import { findFunction } from '../functions/registry.ts';
import { isGrid } from '../grids.ts';
import { compareValues } from '../operators.ts';
import type { CallExpression } from '../syntax/formula-library.ts';
import { FormulaSyntaxError, type SyntaxNode } from '../syntax/parse.ts';
import { CellError, ERROR, type Scalar, type Value } from '../values.ts';
import { implicitIntersection } from './areas.ts';
import {
  type Code,
  type Compiler,
  computeLifted,
  isScalar,
  OMITTED,
  Omitted,
  operandOf,
  plainValue,
  type Result,
  type Scope,
} from './compiler.ts';
import { GROUPING_FORMS } from './grouping-forms.ts';
import { invoke, parameterOf } from './invocation.ts';
import { applyResult, LAMBDA_FORMS } from './lambda-forms.ts';

/** The code of `@`: the implicit intersection, where the formula would otherwise spill. */
export function atSign(inner: Code): Code {
  return (scope) => {
    const value = plainValue(inner(scope));
    return isGrid(value) ? implicitIntersection(value, scope) : value;
  };
}

/** The code of `A1#`: the spill range of the formula in A1. */
export function spillOf(inner: Code): Code {
  return (scope) => {
    const value = plainValue(inner(scope));
    const at = isGrid(value) ? value.area : undefined;
    if (at === undefined) return ERROR['#REF!'];
    scope.host.read(at.sheet, at.top, at.left);
    const area = scope.host.spillArea(at.sheet, at.top, at.left);
    return area === undefined ? ERROR['#REF!'] : scope.host.reference(area);
  };
}

type Nodes = readonly (SyntaxNode | null)[];

/** Chooses among computed values: the lifted variant of a form, used for each cell of a grid. */
type Choice = (values: readonly Scalar[]) => Scalar;

/** Forms that evaluate only the chosen argument; the others may even contain a cycle. */
const SPECIAL_FORMS: Readonly<Record<string, (args: Nodes, within: Compiler) => Code>> = {
  IF: (args, within) => {
    const [test, ...ways] = codesOf('IF', args, within, 2, 3);
    if (ways.length === 1) ways.push(FALSE);
    return (scope) => evaluateChoice(test, scope, chooseIf, ways);
  },
  IFERROR: (args, within) => catchForm('IFERROR', args, within, (value) => value instanceof CellError),
  IFNA: (args, within) => catchForm('IFNA', args, within, (value) => value === ERROR['#N/A']),
  CHOOSE: (args, within) => {
    const [index, ...values] = codesOf('CHOOSE', args, within, 2);
    return (scope) => evaluateChoice(index, scope, chooseNth, values);
  },
  IFS: (args, within) => {
    if (args.length % 2 === 1) throw new FormulaSyntaxError('IFS takes pairs');
    return firstTrue(codesOf('IFS', args, within, 2));
  },
  SWITCH: (args, within) => {
    const [wanted, ...cases] = codesOf('SWITCH', args, within, 3);
    return (scope) => evaluateChoice(wanted, scope, chooseCase, cases);
  },
  ISOMITTED: (args, within) => {
    const [argument] = codesOf('ISOMITTED', args, within, 1, 1);
    return (scope) => argument?.(scope) instanceof Omitted;
  },
};

const FALSE: Code = () => false;

function codesOf(
  name: string,
  args: Nodes,
  within: Compiler,
  least: number,
  most = Number.POSITIVE_INFINITY,
): Code[] {
  if (args.length < least || args.length > most)
    throw new FormulaSyntaxError(`${name} does not take ${args.length} arguments`);
  return args.map((one) => within.compile(one, within));
}

/** Chooses the index of a code to evaluate, or returns an error. `value` evaluates further arguments one at a time. */
type Chooser = (by: Scalar, count: number, value: (at: number) => Scalar) => number | CellError;

function evaluateChoice(by: Code | undefined, scope: Scope, choose: Chooser, codes: readonly Code[]): Result {
  const test = operandOf(by?.(scope) ?? null, scope.host);
  if (!isScalar(test)) return chooseForEachCell(test, scope, choose, codes);
  const single = (at: number) => scalarOf(codes[at]?.(scope) ?? null, scope);
  const index = choose(test, codes.length, single);
  return index instanceof CellError ? index : (codes[index]?.(scope) ?? null);
}

function chooseForEachCell(test: Value, scope: Scope, choose: Chooser, codes: readonly Code[]): Value {
  const values = codes.map((code) => operandOf(code(scope), scope.host));
  const choice: Choice = ([by = null, ...given]) => {
    const index = choose(by, given.length, (at) => given[at] ?? null);
    return index instanceof CellError ? index : (given[index] ?? null);
  };
  return computeLifted([test, ...values], choice, scope);
}

function scalarOf(result: Result, scope: Scope): Scalar {
  const value = operandOf(result, scope.host);
  return isScalar(value) ? value : isGrid(value) ? value.at(0, 0) : ERROR['#VALUE!'];
}

const chooseIf: Chooser = (by) => {
  const test = logicalOf(by);
  return test instanceof CellError ? test : test ? 0 : 1;
};

const chooseNth: Chooser = (by, count) => {
  const index = numberOf(by);
  if (index instanceof CellError) return index;
  return index >= 1 && index < count + 1 ? Math.floor(index) - 1 : ERROR['#VALUE!'];
};

/** Alternating cases and results; an additional last code is the default. */
const chooseCase: Chooser = (by, count, value) => {
  if (by instanceof CellError) return by;
  for (let at = 0; at + 1 < count; at += 2) {
    const one = value(at);
    if (one instanceof CellError) return one;
    if (compareValues(by, one) === 0) return at + 1;
  }
  return count % 2 === 1 ? count - 1 : ERROR['#N/A'];
};

/** A value, or a replacement when it is an error of the given kind. */
function catchForm(name: string, args: Nodes, within: Compiler, catches: (value: Scalar) => boolean): Code {
  const [code, instead] = codesOf(name, args, within, 2, 2);
  return (scope) => {
    const value = plainValue(code?.(scope) ?? null);
    const operand = operandOf(value, scope.host);
    if (isScalar(operand)) return catches(operand) ? (instead?.(scope) ?? null) : value;
    const other = operandOf(instead?.(scope) ?? null, scope.host);
    return computeLifted([operand, other], ([one = null, two = null]) => (catches(one) ? two : one), scope);
  };
}

/** Alternating tests and values: the value of the first true test. */
function firstTrue(codes: readonly Code[]): Code {
  return (scope) => {
    for (let at = 0; at < codes.length; at += 2) {
      const operand = operandOf(codes[at]?.(scope) ?? null, scope.host);
      if (!isScalar(operand)) return firstTrueForEachCell(codes.slice(at), scope);
      const test = logicalOf(operand);
      if (test instanceof CellError) return test;
      if (test) return codes[at + 1]?.(scope) ?? null;
    }
    return ERROR['#N/A'];
  };
}

function firstTrueForEachCell(codes: readonly Code[], scope: Scope): Value {
  const first: Choice = (values) => {
    for (let at = 0; at < values.length; at += 2) {
      const test = logicalOf(values[at] ?? null);
      if (test instanceof CellError) return test;
      if (test) return values[at + 1] ?? null;
    }
    return ERROR['#N/A'];
  };
  return computeLifted(
    codes.map((code) => operandOf(code(scope), scope.host)),
    first,
    scope,
  );
}

/** The code of a call: of a special form, a function, or a name that means a LAMBDA. */
export function compileCall(node: CallExpression, within: Compiler): Code {
  const callee = node.callee as SyntaxNode | CallExpression['callee'];
  if (callee.type !== 'Identifier')
    return applyResult(within.compile(callee as SyntaxNode, within), argumentCodes(node, within));
  const name = callee.name.toUpperCase();
  if (within.locals.includes(name)) return compileNamed(node, within);
  const form = FORMS[name];
  if (form !== undefined) return form(node.arguments, within);
  const found = findFunction(name);
  return found === undefined ? compileNamed(node, within) : compileFunction(found, node, within);
}

type Form = (args: readonly (SyntaxNode | null)[], within: Compiler) => Code;

/** The function notation of `@` and `#` in files. */
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

/** The functions that the compiler implements itself. */
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

/** A name that means no LAMBDA is #NAME?, like an unknown function. */
function compileNamed(node: CallExpression, within: Compiler): Code {
  const name: SyntaxNode = { type: 'ReferenceIdentifier', kind: 'name', value: node.callee.name };
  return applyResult(within.compile(name, within), argumentCodes(node, within));
}

/** Whether the last of the groups that repeat is cut short: a range of COUNTIFS whose criterion is missing. */
function endsWithin({ parameters, required, repeats = 1 }: FormulaFunction, count: number): boolean {
  return required === parameters.length && (count - required) % repeats !== 0;
}

function compileFunction(one: FormulaFunction, node: CallExpression, within: Compiler): Code {
  const count = node.arguments.length;
  const most = one.repeats === undefined ? one.parameters.length : Number.POSITIVE_INFINITY;
  if (count < one.required || count > most || endsWithin(one, count))
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
