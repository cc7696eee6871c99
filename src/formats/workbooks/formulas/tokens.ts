import { type Token, tokensOfFile, tokenTypes } from '../../../formulas/syntax/formula-library.ts';

/** Deeper formulas stay unconverted; Excel allows 64 levels. */
const MAX_NESTING = 128;

/** The tokens of a formula, references as one token each; joined they are the text. */
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

/** Whether parentheses are nested so deeply that recursion could overflow the stack. */
export function isNestedTooDeeply(tokens: readonly Token[]): boolean {
  let depth = 0;
  return tokens.some((token) => {
    if (isOperator(token, '(')) depth++;
    if (isOperator(token, ')')) depth--;
    return depth > MAX_NESTING;
  });
}

/**
 * For each index, the index after the operand that starts there: a reference, a call, an expression in
 * parentheses, or a range composed of these.
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

/** For each closed parenthesis, the index after its closing one. */
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
