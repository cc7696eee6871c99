import { findFunction } from '../../../formulas/functions/registry.ts';
import {
  type AstExpression,
  type CallExpression,
  parse,
  type Token,
  tokensOfFile,
} from '../../../formulas/syntax/formula-library.ts';
import { isOperator } from './tokens.ts';

/**
 * Converts a formula written for programs without spilling arrays to the same meaning with them: adds `@` before
 * each range, and each call that may return several cells, from which those programs took one cell. Input and
 * result are without "=".
 */
export function withIntersections(text: string): string {
  if (!/[:(]/.test(text)) return text;
  const found: number[] = [];
  try {
    collect(parse(tokensOfFile(text, { withLocation: true })), 'value', found);
  } catch {
    return text;
  }
  found.sort((a, b) => a - b);
  return [0, ...found].map((start, at) => text.slice(start, found[at])).join('@');
}

/** The tokens of a formula without `@`. */
export function withoutIntersections(tokens: readonly Token[]): Token[] {
  return tokens.filter((token) => !isOperator(token, '@'));
}

/** Collects the offsets of ranges and calls that need an implicit intersection. */
function collect(node: AstExpression | null, use: Use, found: number[]): void {
  if (node === null) return;
  const mark = () => found.push(node.loc?.[0] ?? 0);
  if (node.type === 'ReferenceIdentifier') {
    if (use === 'value' && isManyCells(node.value)) mark();
  } else if (node.type === 'UnaryExpression') {
    const isSign = node.operator === '@' || node.operator === '#';
    collect(node.arguments[0] ?? null, isSign ? 'range' : operandUse(use), found);
  } else if (node.type === 'BinaryExpression') {
    const refers = /^[: ,]$/.test(node.operator.trim() || ' ');
    if (use === 'value' && node.operator === ':') mark();
    for (const operand of node.arguments) collect(operand, refers ? 'range' : operandUse(use), found);
  } else if (node.type === 'CallExpression') {
    if (use === 'value' && mayComeToMany(node)) mark();
    const name = 'name' in node.callee ? String(node.callee.name) : '';
    for (const [at, argument] of node.arguments.entries()) {
      collect(argument, parameterUse(name, at, use), found);
    }
  }
}

/** An operator takes one value of each operand, except within array evaluation. */
function operandUse(use: Use): Use {
  return use === 'array' ? 'array' : 'value';
}

/** How the context of an expression uses a range: one value of it, the range itself, or all of its values. */
type Use = 'value' | 'range' | 'array';

/** Functions that always evaluate their arguments as arrays. */
const ARRAY_EVALUATION = new Set(
  `AGGREGATE CHISQ.TEST CHITEST CORREL COVAR COVARIANCE.P COVARIANCE.S F.TEST FORECAST FORECAST.LINEAR FREQUENCY FTEST GROWTH
  INTERCEPT LINEST LOGEST LOOKUP MDETERM MINVERSE MMULT MODE MODE.MULT MODE.SNGL PEARSON PERCENTILE PROB QUARTILE RSQ
  SLOPE STEYX SUMPRODUCT SUMX2MY2 SUMX2PY2 SUMXMY2 T.TEST TRANSPOSE TREND TTEST ZTEST`.split(/\s+/),
);

/** The first argument of these functions is one value; the others are used like the call itself. */
const CHOOSING = new Set(['IF', 'CHOOSE', 'IFS', 'SWITCH']);
const SINGLE_VALUES = new Set(['IFERROR', 'IFNA']);

/** How a function uses a range in one of its arguments, given the use of the call itself. */
function parameterUse(name: string, at: number, use: Use): Use {
  const upper = name.toUpperCase();
  if (use === 'array' || ARRAY_EVALUATION.has(upper)) return 'array';
  if (CHOOSING.has(upper)) return at === 0 ? 'value' : use;
  const takesValue = SINGLE_VALUES.has(upper) || isSingle(upper, at);
  if (!takesValue) return 'range';
  return 'value';
}

/** Whether the parameter takes one value; false for an unknown function. */
function isSingle(name: string, at: number): boolean {
  const found = findFunction(name);
  if (!found) return false;
  const { parameters, repeats = 0 } = found;
  const beyond = at - parameters.length;
  const index = beyond < 0 || repeats === 0 ? at : parameters.length - repeats + (beyond % repeats);
  const kind = parameters[index];
  return kind !== undefined && kind !== 'grid' && kind !== 'any';
}

type Argument = AstExpression | null | undefined;

/** Functions that return arrays for any arguments. */
const ARRAYS = new Set('FREQUENCY GROWTH LINEST LOGEST MINVERSE MMULT MODE.MULT TRANSPOSE TREND'.split(' '));

/** Functions that return several cells for some arguments only. */
const FOR_SOME: Readonly<Record<string, (given: readonly Argument[]) => boolean>> = {
  INDIRECT: () => true,
  ROW: ([of]) => of !== undefined && mayBeMany(of),
  COLUMN: ([of]) => of !== undefined && mayBeMany(of),
  OFFSET: ([from, , , height, width]) =>
    isGiven(height) || isGiven(width) || (mayBeMany(from) && from?.type !== 'ReferenceIdentifier'),
  INDEX: ([of, ...positions]) => !positions.every(picksOne) || (positions.length < 2 && !isLine(of)),
};

/** Whether a call may return several cells although each of its arguments is one value. */
function mayComeToMany({ callee, arguments: given }: CallExpression): boolean {
  const name = 'name' in callee ? String(callee.name).toUpperCase() : '';
  return ARRAYS.has(name) || FOR_SOME[name]?.(given) === true;
}

/** Whether a reference covers several cells; a range such as A1:A1 does not. */
function isManyCells(reference: string): boolean {
  const [first = '', last] = cornersOf(reference);
  return last !== undefined && (first !== last || !/^[A-Z]+[0-9]+$/.test(first));
}

function cornersOf(reference: string): string[] {
  return reference
    .slice(reference.lastIndexOf('!') + 1)
    .replaceAll('$', '')
    .toUpperCase()
    .split(':');
}

function mayBeMany(node: Argument): boolean {
  return node?.type === 'ReferenceIdentifier' ? isManyCells(node.value) : node?.type !== 'Literal';
}

/** A position of 0, or none, selects a whole row or column. */
function picksOne(position: Argument): boolean {
  return isGiven(position) && !(position?.type === 'Literal' && Math.trunc(Number(position.value)) === 0);
}

function isGiven(node: Argument): boolean {
  return node !== null && node !== undefined;
}

/** Whether a reference covers one row or column, so that one position selects one cell. */
function isLine(node: Argument): boolean {
  if (node?.type !== 'ReferenceIdentifier') return false;
  const [first = '', last = first] = cornersOf(node.value);
  const [firstColumn, lastColumn] = [first, last].map((corner) => corner.replace(/[0-9]/g, ''));
  const [firstRow, lastRow] = [first, last].map((corner) => corner.replace(/[A-Z]/g, ''));
  return (firstColumn !== '' && firstColumn === lastColumn) || (firstRow !== '' && firstRow === lastRow);
}
