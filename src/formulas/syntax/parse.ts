import { MAX_NESTING } from '../limits.ts';
import { type AstExpression, parse, type Token, tokensOf } from './formula-library.ts';

export type SyntaxNode = AstExpression;

/** The text is no valid formula; its cell shows #ERROR!. */
export class FormulaSyntaxError extends Error {}

/** Prefixes in files: of newer functions, worksheet functions, and LAMBDA parameters. */
const PREFIXES = /^(?:_xlfn\.|_xlws\.|_xlpm\.|_xleta\.)+/i;
/** The prefix of optional parameters in files. Nodes keep it: nothing else tells them from those that are required. */
const OPTIONAL_PREFIX = '_xlop.';
/** An optional parameter of LAMBDA as typed. */
const OPTIONAL = /^\[([A-Za-z_]\w*)\]$/;

/**
 * Parses a formula, which starts with "=". The nodes carry their source locations.
 * @throws FormulaSyntaxError when it is invalid, too long or too deeply nested
 */
export function parseFormula(formula: string): SyntaxNode {
  const tokens = withoutLostSheets(tokensOf(formula, { withLocation: true }));
  for (const token of tokens) simplify(token);
  joinCalls(tokens);
  refuseNesting(tokens);
  try {
    return parse(tokens);
  } catch (cause) {
    throw new FormulaSyntaxError('the formula does not parse', { cause });
  }
}

function simplify(token: Token): void {
  token.value = token.value.replace(PREFIXES, '');
  const [, optional] = (token.type === 'structured' && OPTIONAL.exec(token.value)) || [];
  if (optional === undefined) return;
  token.type = 'range_named';
  token.value = `${OPTIONAL_PREFIX}${optional}`;
}

/** A name without what marks it as that of an optional parameter. */
export function plainName(name: string): string {
  return name.toLowerCase().startsWith(OPTIONAL_PREFIX) ? name.slice(OPTIONAL_PREFIX.length) : name;
}

/** Excel accepts `SUM (A1)` as a call. */
function joinCalls(tokens: Token[]): void {
  for (let at = tokens.length - 3; at >= 0; at--) {
    const [name, space, opening] = tokens.slice(at, at + 3);
    if (name?.type !== 'range_named' || opening?.value !== '(' || !/^\s+$/.test(space?.value ?? '')) continue;
    name.type = 'func';
    tokens.splice(at + 1, 1);
  }
}

/** Reduces `Sheet1!#REF!` to its error. */
function withoutLostSheets(tokens: Token[]): Token[] {
  const lost = new Set<Token>();
  for (const [at, token] of tokens.entries()) {
    const [before, bang] = [tokens[at - 2], tokens[at - 1]];
    if (token.type !== 'error' || bang?.value !== '!' || before === undefined) continue;
    if (before.type.startsWith('context')) lost.add(before).add(bang);
  }
  return lost.size === 0 ? tokens : tokens.filter((token) => !lost.has(token));
}

/** The parser is recursive. */
function refuseNesting(tokens: readonly Token[]): void {
  let depth = 0;
  for (const { type, value } of tokens) {
    if (type !== 'operator') continue;
    if (value === '(') depth++;
    else if (value === ')') depth--;
    if (depth > MAX_NESTING) throw new FormulaSyntaxError('the formula is nested too deeply');
  }
}
