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
 * A formula that was written for programs without arrays that spill, as it means the same with them: `@` before each
 * range, or call that may come to one, of which they took the one cell beside the formula. It is given, and answered, without "=".
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

/** Where ranges, and calls that may come to several cells, begin of which one cell is taken. */
function collect(node: AstExpression | null, use: Use, found: number[]): void {
  if (node === null) return;
  const mark = () => found.push(node.loc?.[0] ?? 0);
  if (node.type === 'ReferenceIdentifier') {
    if (use === 'value' && isManyCells(node.value)) mark();
  } else if (node.type === 'UnaryExpression') {
    const isSign = node.operator === '@' || node.operator === '#';
    collect(node.arguments[0] ?? null, isSign ? 'range' : computed(use), found);
  } else if (node.type === 'BinaryExpression') {
    const refers = /^[: ,]$/.test(node.operator.trim() || ' ');
    if (use === 'value' && node.operator === ':') mark();
    for (const operand of node.arguments) collect(operand, refers ? 'range' : computed(use), found);
  } else if (node.type === 'CallExpression') {
    if (use === 'value' && mayComeToMany(node)) mark();
    const name = 'name' in node.callee ? String(node.callee.name) : '';
    for (const [at, argument] of node.arguments.entries()) {
      collect(argument, parameterUse(name, at, use), found);
    }
  }
}

/** Of operands each one value is taken, but within what works through arrays. */
function computed(use: Use): Use {
  return use === 'array' ? 'array' : 'value';
}

/**
 * What the place of an expression makes of a range: one value of it, the range itself, or all of its values, one after
 * the other.
 */
type Use = 'value' | 'range' | 'array';

/** Functions that work through arrays wherever they are, so that what is computed in their arguments is an array. */
const THROUGH_ARRAYS = new Set(
  `AGGREGATE CHISQ.TEST CHITEST CORREL COVAR COVARIANCE.P COVARIANCE.S F.TEST FORECAST FORECAST.LINEAR FREQUENCY FTEST GROWTH
  INTERCEPT LINEST LOGEST LOOKUP MDETERM MINVERSE MMULT MODE MODE.MULT MODE.SNGL PEARSON PERCENTILE PROB QUARTILE RSQ
  SLOPE STEYX SUMPRODUCT SUMX2MY2 SUMX2PY2 SUMXMY2 T.TEST TRANSPOSE TREND TTEST ZTEST`.split(/\s+/),
);

/** Of these the condition is one value; what they choose between is used as they are themselves. */
const CHOOSING = new Set(['IF', 'CHOOSE', 'IFS', 'SWITCH']);
const SINGLE_VALUES = new Set(['IFERROR', 'IFNA']);

/** What a function makes of a range in one of its arguments, where it is used itself in some way. */
function parameterUse(name: string, at: number, use: Use): Use {
  const upper = name.toUpperCase();
  if (use === 'array' || THROUGH_ARRAYS.has(upper)) return 'array';
  if (CHOOSING.has(upper)) return at === 0 ? 'value' : use;
  const takesValue = SINGLE_VALUES.has(upper) || isSingle(upper, at);
  if (!takesValue) return 'range';
  return 'value';
}

/** Whether the parameter is one value; of a function that is not known, none is. */
function isSingle(name: string, at: number): boolean {
  const found = findFunction(name);
  if (!found) return false;
  const { parameters, repeats = 0 } = found;
  const beyond = at - parameters.length;
  const place = beyond < 0 || repeats === 0 ? at : parameters.length - repeats + (beyond % repeats);
  const kind = parameters[place];
  return kind !== undefined && kind !== 'grid' && kind !== 'any';
}

type Argument = AstExpression | null | undefined;

/** Functions whose values are arrays, whatever they are given. */
const ARRAYS = new Set('FREQUENCY GROWTH LINEST LOGEST MINVERSE MMULT MODE.MULT TRANSPOSE TREND'.split(' '));

/** Functions that come to several cells for some arguments only. */
const FOR_SOME: Readonly<Record<string, (given: readonly Argument[]) => boolean>> = {
  INDIRECT: () => true,
  ROW: ([of]) => of !== undefined && mayBeMany(of),
  COLUMN: ([of]) => of !== undefined && mayBeMany(of),
  OFFSET: ([from, , , height, width]) =>
    isGiven(height) || isGiven(width) || (mayBeMany(from) && from?.type !== 'ReferenceIdentifier'),
  INDEX: ([of, ...places]) => !places.every(picksOne) || (places.length < 2 && !isLine(of)),
};

/** Whether a call may come to several cells although each of its arguments is one. */
function mayComeToMany({ callee, arguments: given }: CallExpression): boolean {
  const name = 'name' in callee ? String(callee.name).toUpperCase() : '';
  return ARRAYS.has(name) || FOR_SOME[name]?.(given) === true;
}

/** Whether a reference as it is written is of more than one cell; a range such as A1:A1 is of one. */
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

/** A place of 0, or none, picks a whole row or column. */
function picksOne(place: Argument): boolean {
  return isGiven(place) && !(place?.type === 'Literal' && Math.trunc(Number(place.value)) === 0);
}

function isGiven(node: Argument): boolean {
  return node !== null && node !== undefined;
}

/** Whether a reference is of one row or column, in which one place picks one cell. */
function isLine(node: Argument): boolean {
  if (node?.type !== 'ReferenceIdentifier') return false;
  const [first = '', last = first] = cornersOf(node.value);
  const [firstColumn, lastColumn] = [first, last].map((corner) => corner.replace(/[0-9]/g, ''));
  const [firstRow, lastRow] = [first, last].map((corner) => corner.replace(/[A-Z]/g, ''));
  return (firstColumn !== '' && firstColumn === lastColumn) || (firstRow !== '' && firstRow === lastRow);
}
