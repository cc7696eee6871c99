import type { CallExpression } from '@borgar/fx';
import type { FormulaFunction } from '../functions/function.ts';
import { findFunction } from '../functions/registry.ts';
import { FormulaSyntaxError, parseFormula, type SyntaxNode } from '../syntax/parse.ts';
import { parameterOf } from './invocation.ts';

/** Where a node stands: where one value is wanted, where a reference is taken as it is, or where all values are. */
type Place = 'value' | 'reference' | 'array';

/** Functions that took arrays computed in place before formulas spilled. */
const ARRAY_FUNCTIONS = new Set(
  `AGGREGATE CORREL COVAR FORECAST FREQUENCY GROWTH INTERCEPT LINEST LOGEST LOOKUP MDETERM MINVERSE MMULT MODE PEARSON
   PERCENTILE PROB QUARTILE RSQ SLOPE STEYX SUMPRODUCT SUMX2MY2 SUMX2PY2 SUMXMY2 TRANSPOSE TREND TTEST ZTEST`.split(
    /\s+/,
  ),
);
/** Functions that may come to several cells though they are given single ones. */
const MANY_CELLS = new Set(
  'CHOOSE COLUMN FREQUENCY GROWTH INDEX INDIRECT LINEST LOGEST MINVERSE MMULT MODE.MULT OFFSET ROW TRANSPOSE TREND'.split(
    ' ',
  ),
);
/** Arguments of forms, of which the first is computed with and the others are handed on. */
const FORMS = new Set(['IF', 'IFERROR', 'IFNA', 'CHOOSE', 'IFS', 'SWITCH']);

/**
 * A formula of a file written before formulas spilled, or not marked as an array there, with `@` wherever it meant one
 * cell of a range: what Excel shows of it. A formula that does not parse, and one without such places, is as it was.
 * Whoever reads workbooks of files passes each formula through here but for those that the file marks as arrays.
 */
export function withIntersection(formula: string): string {
  const marks: number[] = [];
  try {
    visit(parseFormula(formula), 'value', marks);
  } catch (cause) {
    if (cause instanceof FormulaSyntaxError) return formula;
    throw cause;
  }
  marks.sort((a, b) => b - a);
  return marks.reduce((text, at) => `${text.slice(0, at)}@${text.slice(at)}`, formula);
}

function visit(node: SyntaxNode | null, place: Place, marks: number[]): void {
  if (node === null) return;
  if (node.type === 'ReferenceIdentifier') {
    if (place === 'value' && mayBeMany(node.value, node.kind)) marks.push(node.loc?.[0] ?? 0);
  } else if (node.type === 'UnaryExpression') {
    visit(node.arguments[0] ?? null, node.operator === '@' ? 'reference' : computed(place), marks);
  } else if (node.type === 'BinaryExpression') visitBinary(node, place, marks);
  else if (node.type === 'CallExpression') visitCall(node, place, marks);
}

function computed(place: Place): Place {
  return place === 'array' ? 'array' : 'value';
}

function mayBeMany(text: string, kind: string): boolean {
  return kind === 'beam' || kind === 'name' || (kind === 'range' && text.includes(':'));
}

function visitBinary(
  node: Extract<SyntaxNode, { type: 'BinaryExpression' }>,
  place: Place,
  marks: number[],
): void {
  const refers = [':', ' ', ','].includes(node.operator);
  if (node.operator === ':' && place === 'value') marks.push(node.loc?.[0] ?? 0);
  for (const operand of node.arguments) visit(operand, refers ? 'reference' : computed(place), marks);
}

function visitCall(node: CallExpression, place: Place, marks: number[]): void {
  const name = node.callee.name.toUpperCase().replace(/^(?:_XLFN\.|_XLWS\.)+/, '');
  if (place === 'value' && MANY_CELLS.has(name)) marks.push(node.loc?.[0] ?? 0);
  const known = findFunction(name);
  for (const [at, argument] of node.arguments.entries())
    visit(argument, argumentPlace(name, known, at, place), marks);
}

function argumentPlace(name: string, known: FormulaFunction | undefined, at: number, place: Place): Place {
  if (place === 'array' || ARRAY_FUNCTIONS.has(name)) return 'array';
  if (FORMS.has(name)) return at === 0 && name !== 'IFERROR' && name !== 'IFNA' ? 'value' : place;
  if (known === undefined) return 'reference';
  const kind = parameterOf(known, at);
  return kind === 'grid' || kind === 'any' ? 'reference' : 'value';
}
