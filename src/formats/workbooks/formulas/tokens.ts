import { type Token, tokenize, tokenTypes } from '@borgar/fx/xlsx';

/** What is nested deeper is left as it is: Excel allows 64 levels. */
const MAX_NESTING = 128;

/** The tokens of a formula, which together are its text, references whole. */
export function tokensOf(formula: string): Token[] {
  return tokenize(formula, { withLocation: false, negativeNumbers: false });
}

export function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ value }) => value).join('');
}

export function isOperator(token: Token | undefined, value: string): boolean {
  return token?.type === tokenTypes.OPERATOR && token.value === value;
}

export function isCall(token: Token | undefined): boolean {
  return token?.type === tokenTypes.FUNCTION;
}

/** Whether parentheses are within parentheses so often that what calls itself for each would go too deep. */
export function isNestedTooDeeply(tokens: readonly Token[]): boolean {
  let depth = 0;
  return tokens.some((token) => {
    if (isOperator(token, '(')) depth++;
    if (isOperator(token, ')')) depth--;
    return depth > MAX_NESTING;
  });
}

/**
 * The place after the operand that begins at a place: a reference, a call, what stands in parentheses, or a range that is
 * put together of these.
 */
export function operandEnd(tokens: readonly Token[], start: number): number {
  let end = simpleEnd(tokens, start);
  while (isOperator(tokens[end], ':')) end = simpleEnd(tokens, end + 1);
  return end;
}

function simpleEnd(tokens: readonly Token[], start: number): number {
  const opens = isCall(tokens[start]) ? start + 1 : start;
  if (!isOperator(tokens[opens], '(')) return start + 1;
  let depth = 0;
  for (let at = opens; at < tokens.length; at++) {
    if (isOperator(tokens[at], '(')) depth++;
    if (isOperator(tokens[at], ')')) depth--;
    if (depth === 0) return at + 1;
  }
  return tokens.length;
}
