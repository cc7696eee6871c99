import { type AstExpression, parse, type Token, tokenize } from '@borgar/fx/xlsx';
import { parameterUse, type Use } from './parameter-use.ts';
import { isOperator } from './tokens.ts';

/**
 * A formula that was written for programs without arrays that spill, as it means the same with them: `@` before each
 * range of which they took the one cell beside the formula. It is given, and answered, without "=".
 */
export function withIntersections(text: string): string {
  if (!text.includes(':')) return text;
  const found: number[] = [];
  try {
    collect(parse(tokenize(text, { withLocation: true })), 'value', found);
  } catch {
    return text;
  }
  found.sort((a, b) => b - a);
  return found.reduce((written, at) => `${written.slice(0, at)}@${written.slice(at)}`, text);
}

/** The tokens of a formula without `@`. */
export function withoutIntersections(tokens: readonly Token[]): Token[] {
  return tokens.filter((token) => !isOperator(token, '@'));
}

/** Where ranges begin of which one cell is taken. */
function collect(node: AstExpression | null, use: Use, found: number[]): void {
  if (node === null) return;
  if (node.type === 'ReferenceIdentifier') {
    if (use === 'value' && isMany(node.value)) found.push(node.loc?.[0] ?? 0);
  } else if (node.type === 'UnaryExpression') {
    if (node.operator !== '@' && node.operator !== '#')
      collect(node.arguments[0] ?? null, computed(use), found);
  } else if (node.type === 'BinaryExpression') {
    if (/^[: ,]$/.test(node.operator.trim() || ' ')) return;
    for (const operand of node.arguments) collect(operand, computed(use), found);
  } else if (node.type === 'CallExpression') {
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

/** Whether a reference as it is written is of more than one cell; a range such as A1:A1 is of one. */
function isMany(reference: string): boolean {
  const cells = reference.slice(reference.lastIndexOf('!') + 1).replaceAll('$', '');
  const [first = '', last] = cells.toUpperCase().split(':');
  return last !== undefined && (first !== last || !/^[A-Z]+[0-9]+$/.test(first));
}
