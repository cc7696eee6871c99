import { type Token, tokensOfFile, tokenTypes } from '../../../formulas/syntax/formula-library.ts';

/** What is nested deeper is left as it is: Excel allows 64 levels. */
const MAX_NESTING = 128;

/** The tokens of a formula, which together are its text, references whole. */
export function tokensOf(formula: string): Token[] {
  return tokensOfFile(formula, { withLocation: false, negativeNumbers: false });
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
 * For each place, the place after the operand that begins there: a reference, a call, what stands in parentheses, or a range
 * that is put together of these.
 */
export function operandEnds(tokens: readonly Token[]): readonly number[] {
  const closings = closingsOf(tokens);
  const ends: number[] = [];
  for (let at = tokens.length - 1; at >= 0; at--) {
    const opens = isCall(tokens[at]) ? at + 1 : at;
    const end = isOperator(tokens[opens], '(') ? (closings.get(opens) ?? tokens.length) : at + 1;
    ends[at] = isOperator(tokens[end], ':') ? (ends[end + 1] ?? end + 2) : end;
  }
  return ends;
}

/** For each parenthesis that is closed, the place after the one that closes it. */
function closingsOf(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (const [at, token] of tokens.entries()) {
    if (isOperator(token, '(')) open.push(at);
    const opened = isOperator(token, ')') ? open.pop() : undefined;
    if (opened !== undefined) closings.set(opened, at + 1);
  }
  return closings;
}
