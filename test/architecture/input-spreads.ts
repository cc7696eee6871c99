import { stripTypeScriptTypes } from 'node:module';
import {
  type AnyNode,
  type CallExpression,
  type Expression,
  type Pattern,
  type Property,
  parse,
  type SpreadElement,
} from 'acorn';

/** Members that say who calls, which row is meant, or what it is. */
const IDENTITY = /^(?:id|user|owner|principal|caller|state|range|trashed|role|kind)$|(?:Id|_id|By|_by)$/;

/** The names under which handlers are given what a request brings. */
const BROUGHT = new Set(['body', 'query', 'params', 'input', 'sent', 'given', 'changes', 'question']);

/**
 * What is wrong with how a file makes objects of others, one sentence each. Whatever is spread may have members that its
 * type does not name, so
 * - what a request brings is not spread, nor what remains of it: its members are picked by name. That is told by the names
 *   that handlers and services give it, by the types of parameters, and followed through other names, conditions and copies;
 * - its members are not walked by whatever names they have, to make an object of them;
 * - nothing is spread behind a member that names who, which or how, nor over something else that is spread.
 * Literals and what `picked` answers may be spread anywhere: their members are written down.
 *
 * `requestTypes`: the names of the types of bodies, queries and parameters.
 */
export function spreadProblems(path: string, source: string, requestTypes: ReadonlySet<string>): string[] {
  const plain = stripTypeScriptTypes(source);
  const problems: string[] = [];
  const say = (node: AnyNode, what: string) => {
    const line = plain.slice(0, node.start).split('\n').length;
    problems.push(`${path}:${line} ${what}: ${plain.slice(node.start, node.end).split('\n')[0]}`);
  };
  const scope: Scope = { source, plain, requestTypes, brought: new Set(BROUGHT) };
  visit(parse(plain, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }), scope, say);
  return problems;
}

interface Scope {
  source: string;
  plain: string;
  requestTypes: ReadonlySet<string>;
  /** The names of what a request brings, here. */
  brought: Set<string>;
}

type Say = (node: AnyNode, what: string) => void;

function visit(node: AnyNode, scope: Scope, say: Say): void {
  if (isFunction(node)) {
    const inner = { ...scope, brought: new Set(scope.brought) };
    for (const parameter of node.params) bring(parameter, isOfRequest(parameter, inner), inner, say);
    for (const child of childrenOf(node)) visit(child, inner, say);
    return;
  }
  if (node.type === 'VariableDeclarator' && node.init)
    bring(node.id, isBrought(node.init, scope), scope, say);
  if (node.type === 'ObjectExpression') {
    lookAt(node.properties, scope, say);
  }
  if (isAssign(node)) {
    const [, ...sources] = node.arguments;
    for (const source of sources)
      if (isBrought(operandOf(source), scope)) say(source, 'assigns what a request brings');
  }
  const walked = walkedMembers(node);
  if (walked && isBrought(walked, scope)) say(walked, 'walks all members that a request brings');
  for (const child of childrenOf(node)) visit(child, scope, say);
}

/** What a loop takes its names from, or what an object is made of by whatever names there are. */
function walkedMembers(node: AnyNode): Expression | undefined {
  if (node.type === 'ForInStatement') return node.right;
  if (node.type === 'ForOfStatement') return node.right.type === 'CallExpression' ? node.right : undefined;
  const [first] = isObjectCall(node, 'fromEntries') ? node.arguments : [];
  return first && operandOf(first);
}

function operandOf(argument: Expression | SpreadElement): Expression {
  return argument.type === 'SpreadElement' ? argument.argument : argument;
}

function lookAt(members: readonly (Property | SpreadElement)[], scope: Scope, say: Say): void {
  let isNamed = false;
  let isSpread = false;
  for (const member of members) {
    if (member.type === 'Property') {
      isNamed ||= member.key.type === 'Identifier' && IDENTITY.test(member.key.name);
      continue;
    }
    const { argument } = member;
    if (isBrought(argument, scope)) say(argument, 'spreads what a request brings');
    if (isLiteral(argument)) continue;
    if (isNamed) say(argument, 'is spread behind what names somebody or something');
    else if (isSpread) say(argument, 'is spread over what is spread');
    isSpread = true;
  }
}

/** Notes the names that a pattern gives to what a request brings. Its rest holds whatever else was brought. */
function bring(pattern: Pattern, isBroughtWhole: boolean, scope: Scope, say: Say): void {
  if (pattern.type === 'AssignmentPattern') bring(pattern.left, isBroughtWhole, scope, say);
  if (pattern.type === 'Identifier') {
    if (isBroughtWhole) scope.brought.add(pattern.name);
    else if (!BROUGHT.has(pattern.name)) scope.brought.delete(pattern.name);
  }
  if (pattern.type !== 'ObjectPattern') return;
  for (const member of pattern.properties) {
    if (member.type === 'RestElement') bring(member.argument, isBroughtWhole, scope, say);
    else bring(member.value, false, scope, say);
  }
}

/** By the type that is written behind a parameter, which stripping has left as blanks in the same place. */
function isOfRequest(parameter: Pattern, { source, plain, requestTypes }: Scope): boolean {
  const target = parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
  const blanks = /^\s*/.exec(plain.slice(target.end))?.[0].length ?? 0;
  const annotation = source.slice(target.end, target.end + blanks);
  return [...annotation.matchAll(/[A-Za-z]\w*/g)].some(([name]) => requestTypes.has(name));
}

/** Whether an expression is what a request brings: by its name, as a member of the request, or as one of both. */
function isBrought(node: Expression, scope: Scope): boolean {
  switch (node.type) {
    case 'Identifier':
      return scope.brought.has(node.name);
    case 'MemberExpression':
      return node.property.type === 'Identifier' && !node.computed && BROUGHT.has(node.property.name);
    case 'LogicalExpression':
      return isBrought(node.left as Expression, scope) || isBrought(node.right, scope);
    case 'ConditionalExpression':
      return isBrought(node.consequent, scope) || isBrought(node.alternate, scope);
    case 'CallExpression':
      if (isCopy(node)) return node.arguments.some((argument) => isBrought(operandOf(argument), scope));
      return node.callee.type === 'MemberExpression' && isBroughtChain(node.callee.object, scope);
    case 'AwaitExpression':
      return isBrought(node.argument, scope);
    default:
      return false;
  }
}

/** The entries of what a request brings are still that when some are left out, or when each is changed. */
function isBroughtChain(node: AnyNode, scope: Scope): boolean {
  return node.type === 'CallExpression' && isBrought(node, scope);
}

/** Whether a call hands on what it is given: another function obeys the rule itself, so that what it answers is named. */
function isCopy({ callee }: CallExpression): boolean {
  if (callee.type === 'Identifier') return callee.name === 'structuredClone';
  return (
    callee.type === 'MemberExpression' &&
    callee.object.type === 'Identifier' &&
    /^(?:Object|JSON)$/.test(callee.object.name)
  );
}

/** An object that is written in its place, or nothing: its members are all named. */
function isLiteral(node: Expression): boolean {
  switch (node.type) {
    case 'ObjectExpression':
      return true;
    case 'LogicalExpression':
      return node.operator === '&&' && isLiteral(node.right);
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].every((one) => isLiteral(one) || isNothing(one));
    case 'CallExpression':
      return node.callee.type === 'Identifier' && node.callee.name === 'picked';
    default:
      return false;
  }
}

function isNothing(node: Expression): boolean {
  return node.type === 'Identifier' && node.name === 'undefined';
}

function isAssign(node: AnyNode): node is CallExpression {
  return isObjectCall(node, 'assign');
}

function isObjectCall(node: AnyNode, name: string): node is CallExpression {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  const { object, property } = node.callee;
  const isObject = object.type === 'Identifier' && object.name === 'Object';
  return isObject && property.type === 'Identifier' && property.name === name;
}

function isFunction(node: AnyNode): node is Extract<AnyNode, { params: Pattern[] }> {
  return 'params' in node;
}

function childrenOf(node: AnyNode): AnyNode[] {
  return Object.values(node)
    .flat()
    .filter((value): value is AnyNode => typeof value?.type === 'string');
}

/** The names of the schemas that operations declare as their body, query or parameters. */
export function requestTypesOf(source: string): string[] {
  return [...source.matchAll(/^ *(?:body|query|params): ([A-Z]\w*),$/gm)].map(([, name = '']) => name);
}
