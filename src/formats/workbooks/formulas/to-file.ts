import { findFunction } from '../../../formulas/functions/registry.ts';
import { type Token, tokenTypes } from '../../../formulas/syntax/formula-library.ts';
import { FormulaSyntaxError, parseFormula } from '../../../formulas/syntax/parse.ts';
import { withIntersections, withoutIntersections } from './intersections.ts';
import { computesArrays, prefixOf } from './newer-functions.ts';
import { isCall, isNestedTooDeeply, isOperator, operandEnds, textOf, tokensOf } from './tokens.ts';

/** A formula as files keep it. */
export interface FileFormula {
  /** Without "=". */
  readonly text: string;
  /** It computes arrays, and may fill more cells than its own. */
  readonly isArray: boolean;
}

/** A formula, which begins with "=", for a file; undefined when it does not parse. */
export function formulaForFile(formula: string): FileFormula | undefined {
  const tokens = tokensOf(formula).slice(1);
  if (tokens.length === 0 || isNestedTooDeeply(tokens) || !parses(formula)) return undefined;
  const old = withoutIntersections(tokens);
  const isArray = computes(tokens) || withIntersections(textOf(old)) !== formula.slice(1);
  const kept = isArray ? tokens : old;
  const operands = { tokens: kept, ends: operandEnds(kept), parameters: parametersIn(tokens) };
  return { text: written(operands, 0, kept.length), isArray };
}

function parses(formula: string): boolean {
  try {
    parseFormula(formula);
    return true;
  } catch (error) {
    if (error instanceof FormulaSyntaxError) return false;
    throw error;
  }
}

/** Whether arrays come of it beside those that ranges make. */
function computes(tokens: readonly Token[]): boolean {
  if (isOperator(tokens[0], '{')) return true;
  return tokens.some((token) => isOperator(token, '#') || (isCall(token) && computesArrays(token.value)));
}

/** The names that LET and LAMBDA give to values: sheets define no others. */
function parametersIn(tokens: readonly Token[]): ReadonlySet<string> {
  const hasParameters = tokens.some((token) => isCall(token) && /^(?:LET|LAMBDA)$/i.test(token.value));
  if (!hasParameters) return new Set();
  const names = tokens.map((token) =>
    token.type === tokenTypes.REF_NAMED ? token.value : optionalName(token),
  );
  return new Set(names.flatMap((name) => (name === undefined ? [] : [name.toUpperCase()])));
}

/** What is written for a file: its tokens, where the operands end that begin at them, and its parameters. */
interface Operands {
  readonly tokens: readonly Token[];
  readonly ends: readonly number[];
  readonly parameters: ReadonlySet<string>;
}

/** `@` takes the operand after it, `#` the one before it. */
function written(operands: Operands, from: number, to: number): string {
  const { tokens, parameters } = operands;
  let text = '';
  for (let at = from; at < to; ) {
    const sign = signAt(operands, at, to);
    if (sign) text += `_xlfn.${sign.name}(${written(operands, sign.start, sign.end)})`;
    else text += tokenText(tokens[at], parameters);
    at = sign ? sign.next : at + 1;
  }
  return text;
}

/** The sign that belongs to what begins at a place, and its operand. */
function signAt({ tokens, ends }: Operands, at: number, to: number) {
  const endOf = (start: number) => Math.min(ends[start] ?? to, to);
  if (isOperator(tokens[at], '@')) {
    const end = endOf(at + 1);
    return { name: 'SINGLE', start: at + 1, end, next: end };
  }
  const end = endOf(at);
  if (end === to || !isOperator(tokens[end], '#')) return undefined;
  return { name: 'ANCHORARRAY', start: at, end, next: end + 1 };
}

/** The name of a parameter of LAMBDA that may be left out, which is written [name]. */
function optionalName({ type, value }: Token): string | undefined {
  return type === tokenTypes.REF_STRUCT ? /^\[([A-Za-z_]\w*)\]$/.exec(value)?.[1] : undefined;
}

function tokenText(token: Token | undefined, parameters: ReadonlySet<string>): string {
  if (!token) return '';
  const optional = optionalName(token);
  if (optional !== undefined && parameters.has(optional.toUpperCase())) return `_xlop.${optional}`;
  if (parameters.has(token.value.toUpperCase())) return `_xlpm.${token.value}`;
  if (token.type === tokenTypes.REF_NAMED && findFunction(token.value.toUpperCase()) !== undefined)
    return `_xleta.${token.value}`;
  return isCall(token) ? prefixOf(token.value) + token.value : token.value;
}
