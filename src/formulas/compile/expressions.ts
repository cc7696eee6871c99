import { finiteOrError } from '../conversions.ts';
import type { FormulaFunction } from '../functions/function.ts';
import { findFunction } from '../functions/registry.ts';
import { gridOf, isGrid } from '../grids.ts';
import { MAX_NESTING } from '../limits.ts';
import { BINARY, type BinaryOperator, UNARY } from '../operators.ts';
import type { LambdaExpression, LetExpression } from '../syntax/formula-library.ts';
import { FormulaSyntaxError, plainName, type SyntaxNode } from '../syntax/parse.ts';
import { ERROR, ERROR_CODES, type ErrorCode, type Scalar } from '../values.ts';
import { intersectReferences, referenceTo, spanReferences, uniteReferences } from './areas.ts';
import { atSign, compileCall, spillOf } from './calls.ts';
import {
  type Code,
  type Compiler,
  computeLifted,
  isScalar,
  Lambda,
  Omitted,
  operandCode,
  operandOf,
  plainValue,
  type Result,
  type Scope,
} from './compiler.ts';
import { invoke } from './invocation.ts';
import { areaFrom, type Reference, readReferences } from './references.ts';

/** The code of LET: each name is visible in all later expressions. */
function compileLet(node: LetExpression, outer: Compiler): Code {
  let within = outer;
  const inits: Code[] = [];
  const first = outer.locals.length;
  for (const { id, init } of node.declarations) {
    inits.push(within.compile(init, within));
    within = withLocals(within, [id.name]);
  }
  const body = within.compile(node.body, within);
  outer.volatile ||= within.volatile;
  return (scope) => {
    for (const [at, init] of inits.entries()) scope.locals[first + at] = init(scope);
    return body(scope);
  };
}

/** The code of LAMBDA: a function that captures the local values. */
function compileLambda(node: LambdaExpression, outer: Compiler): Code {
  const within = withLocals(
    outer,
    node.params.map(({ name }) => name),
  );
  const body = within.compile(node.body, within);
  outer.volatile ||= within.volatile;
  const [first, count] = [outer.locals.length, node.params.length];
  const required = node.params.findLastIndex(({ name }) => plainName(name) === name) + 1;
  return (scope) => new Lambda(count, body, scope.locals.slice(0, first), { required });
}

function withLocals(outer: Compiler, names: readonly string[]): Compiler {
  return { ...outer, locals: [...outer.locals, ...names.map((name) => plainName(name).toUpperCase())] };
}

type Node<Type extends SyntaxNode['type']> = Extract<SyntaxNode, { type: Type }>;

/** Compiles a syntax node; null, an omitted argument, is an empty value. */
export function compileNode(node: SyntaxNode | null, outer: Compiler): Code {
  if (node === null) return () => null;
  const within = { ...outer, depth: outer.depth + 1 };
  if (within.depth > MAX_NESTING) throw new FormulaSyntaxError('the formula is nested too deeply');
  const code = COMPILE[node.type](node as never, within);
  outer.volatile ||= within.volatile;
  return code;
}

const COMPILE: { readonly [Type in SyntaxNode['type']]: (node: Node<Type>, within: Compiler) => Code } = {
  Literal: ({ value }) => {
    const literal = (value as Scalar) ?? ERROR['#NUM!'];
    const known = typeof literal === 'number' ? finiteOrError(literal) : literal;
    return () => known;
  },
  ErrorLiteral: ({ value }) => {
    const error = errorOf(value);
    return () => error;
  },
  ReferenceIdentifier: compileReference,
  UnaryExpression: compileUnary,
  BinaryExpression: compileBinary,
  ArrayExpression: compileArray,
  CallExpression: compileCall,
  LetExpression: compileLet,
  LambdaExpression: compileLambda,
};

function errorOf(text: string): Scalar {
  const code = ERROR_CODES.find((one) => one === text.toUpperCase());
  return ERROR[code ?? ('#NAME?' satisfies ErrorCode)];
}

function compileReference(node: Node<'ReferenceIdentifier'>, within: Compiler): Code {
  if (node.kind === 'name') return compileName(node.value, within);
  if (node.kind === 'table') return () => ERROR['#NAME?'];
  const references = readReferences(node.value, within.base, within.surroundings.findSheet);
  within.references.push(...references);
  const [reference] = references;
  if (references.length === 1 && reference !== undefined)
    return (scope) => scope.host.grid(areaFrom(reference, scope));
  return (scope) =>
    referenceTo(
      references.map((one) => areaFrom(one, scope)),
      scope.host,
    );
}

/** A name of LET or LAMBDA, else a defined name of the workbook. */
function compileName(name: string, within: Compiler): Code {
  const index = within.locals.lastIndexOf(plainName(name).toUpperCase());
  if (index >= 0) return ({ locals }) => locals[index] ?? null;
  const [, prefix, bare = name] = /^(.*)!([^!]*)$/.exec(name) ?? [];
  const sheet =
    prefix === undefined ? within.base.sheet : within.surroundings.findSheet(prefix.replaceAll("'", ''));
  if (sheet === undefined) return () => ERROR['#REF!'];
  const named = within.surroundings.findName(bare, sheet);
  if (named === undefined) return functionNamed(bare);
  within.references.push(...named.references);
  within.volatile ||= named.volatile;
  return (scope) => named.code({ ...scope, locals: [] });
}

function compileUnary(node: Node<'UnaryExpression'>, within: Compiler): Code {
  const inner = within.compile(node.arguments[0] ?? null, within);
  if (node.operator === '@') return atSign(inner);
  if (node.operator === '#') return spillOf(inner);
  const operator = UNARY[node.operator];
  if (operator === undefined) throw new FormulaSyntaxError(`no operator ${node.operator}`);
  const operand = operandCode(inner);
  return (scope) => {
    const value = operand(scope);
    if (isScalar(value)) return operator(value);
    return computeLifted([plainValue(value)], ([one = null]) => operator(one), scope);
  };
}

const REFERENCE_OPERATORS: Readonly<Record<string, typeof spanReferences>> = {
  ':': spanReferences,
  ' ': intersectReferences,
  ',': uniteReferences,
};

function compileBinary(node: Node<'BinaryExpression'>, within: Compiler): Code {
  const combine = REFERENCE_OPERATORS[node.operator];
  if (combine === undefined) return compileChain(node, within);
  const [left, right] = node.arguments.map((one) => within.compile(one, within));
  if (left === undefined || right === undefined) throw new FormulaSyntaxError('an operand is missing');
  return (scope) => combine(left(scope), right(scope), scope.host);
}

/** Compiles `1+2+3…` without recursion for each operator: formulas may have thousands. */
function compileChain(node: Node<'BinaryExpression'>, within: Compiler): Code {
  const steps: { operator: BinaryOperator; right: Code }[] = [];
  let first: SyntaxNode = node;
  while (first.type === 'BinaryExpression' && BINARY[first.operator] !== undefined) {
    const operator = BINARY[first.operator] as BinaryOperator;
    steps.push({ operator, right: within.compileOperand(first.arguments[1] ?? null, within) });
    first = first.arguments[0] as SyntaxNode;
  }
  const start = within.compileOperand(first, within);
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) {
    return (scope) => apply(only.operator, start(scope), only.right(scope), scope);
  }
  steps.reverse();
  return (scope) => {
    let value = start(scope);
    for (const { operator, right } of steps) value = apply(operator, value, right(scope), scope);
    return value;
  };
}

function apply(operator: BinaryOperator, left: Result, right: Result, scope: Scope): Result {
  if (isScalar(left) && isScalar(right)) return operator(left, right);
  return computeLifted(
    [plainValue(left), plainValue(right)],
    ([a = null, b = null]) => operator(a, b),
    scope,
  );
}

/** Compiles an operand; a reference to one cell is read without a grid. */
export function compileOperand(node: SyntaxNode | null, within: Compiler): Code {
  if (node?.type === 'ReferenceIdentifier' && node.kind === 'range') {
    const [reference, ...others] = readReferences(node.value, within.base, within.surroundings.findSheet);
    if (reference !== undefined && others.length === 0 && isOneCell(reference)) {
      within.references.push(reference);
      return (scope) => {
        const { sheet, top, left } = areaFrom(reference, scope);
        return scope.host.read(sheet, top, left);
      };
    }
  }
  return operandCode(within.compile(node, within));
}

function isOneCell({ top, left, bottom, right }: Reference): boolean {
  return (
    top.fixed === bottom.fixed && left.fixed === right.fixed && top.at === bottom.at && left.at === right.at
  );
}

/** All rows of an array constant must have the same length. */
function compileArray(node: Node<'ArrayExpression'>, within: Compiler): Code {
  const width = node.elements[0]?.length;
  if (node.elements.some((row) => row.length !== width))
    throw new FormulaSyntaxError('rows of an array differ in length');
  const codes = node.elements.map((row) => row.map((one) => within.compileOperand(one, within)));
  return (scope) =>
    gridOf(
      codes.map((row) => row.map((code) => firstOf(code(scope), scope))),
      scope.host.spend,
    );
}

function firstOf(result: Result, scope: Scope): Scalar {
  const value = operandOf(result, scope.host);
  return isGrid(value) ? value.at(0, 0) : (value as Scalar);
}

/** Most arguments of a function used as a value, if it takes any number of them. */
const MOST = 8;

/** The code of a function name without a call, as in BYROW(A1:C3,SUM): a callable value; #NAME? for an unknown one. */
function functionNamed(name: string): Code {
  const one = findFunction(name.toUpperCase());
  if (one === undefined) return () => ERROR['#NAME?'];
  const lambda = functionValue(one);
  return () => lambda;
}

function functionValue(one: FormulaFunction): Lambda {
  const most = one.repeats === undefined ? one.parameters.length : Math.max(MOST, one.parameters.length);
  const body: Code = (scope) => {
    const given = scope.locals.filter((argument) => !(argument instanceof Omitted));
    return given.length < one.required ? ERROR['#VALUE!'] : invoke(one, given, scope);
  };
  return new Lambda(most, body, [], { wanted: one.required });
}
