import { type Token, tokenTypes } from '@borgar/fx/xlsx';
import { isCall, isNestedTooDeeply, operandEnd, textOf, tokensOf } from './tokens.ts';

const PREFIX = /^(?:_xlfn\.|_xlws\.|_xlpm\.|_xleta\.)+/i;
/** A parameter of LAMBDA that may be left out. */
const OPTIONAL = /^_xlop\.(.+)$/i;

/**
 * A formula of a file as people write it: newer functions without the prefix that files put before them, `@` and `#` for
 * the calls that files make of them. It is given, and answered, without "=".
 */
export function formulaFromFile(text: string): string {
  if (!/_xl/i.test(text)) return text;
  const tokens = tokensOf(text);
  return isNestedTooDeeply(tokens) ? text : written(tokens);
}

function written(tokens: readonly Token[]): string {
  let text = '';
  for (let at = 0; at < tokens.length; ) {
    const end = isSign(tokens[at]) ? operandEnd(tokens, at) : at + 1;
    text += end > at + 1 ? signOf(tokens.slice(at, end)) : bare(tokens[at]);
    at = end;
  }
  return text;
}

function bare(token: Token | undefined): string {
  if (!token) return '';
  const mayHavePrefix = isCall(token) || token.type === tokenTypes.REF_NAMED;
  return mayHavePrefix ? token.value.replace(PREFIX, '').replace(OPTIONAL, '[$1]') : token.value;
}

function isSign(token: Token | undefined): boolean {
  return isCall(token) && /^_xlfn\.(?:SINGLE|ANCHORARRAY)$/i.test(token?.value ?? '');
}

/** A whole call, such as _xlfn.SINGLE(A1:A3). */
function signOf(call: readonly Token[]): string {
  const inner = call.slice(2, -1);
  const isOne = operandEnd(inner, 0) === inner.length;
  const operand = isOne ? written(inner) : `(${written(inner)})`;
  if (textOf(call.slice(-1)) !== ')') return textOf(call);
  return /SINGLE$/i.test(textOf(call.slice(0, 1))) ? `@${operand}` : `${operand}#`;
}
