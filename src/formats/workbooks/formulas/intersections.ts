import {
  type AstExpression,
  parse,
  type Token,
  tokensOfFile,
} from '../../../formulas/syntax/formula-library.ts';
import { isManyCells, mayComeToMany } from './many-cells.ts';
import { parameterUse, type Use } from './parameter-use.ts';
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
