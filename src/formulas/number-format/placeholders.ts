import { grouped } from './digits.ts';
import type { Token } from './tokens.ts';

/** What stands for a digit that a number does not have. */
const ABSENT = { '0': '0', '?': ' ', '#': '' } as const;

/**
 * Puts digits into the placeholders of some tokens, from the last to the first, which takes all that are left; other
 * tokens stay where they are between them.
 * @param inGroups whether every third digit has a comma before it
 */
export function fillFromRight(
  tokens: readonly Token[],
  digits: string,
  inGroups: boolean,
  show: (token: Token) => string,
): string {
  const first = tokens.findIndex(({ kind }) => kind === 'digit');
  let rest = digits;
  let count = 0;
  let filled = '';
  for (let index = tokens.length - 1; index >= 0; index--) {
    const token = tokens[index] as Token;
    if (token.kind !== 'digit') {
      filled = show(token) + filled;
      continue;
    }
    let shown = index === first ? rest : rest.slice(-1);
    rest = index === first ? '' : rest.slice(0, -1);
    if (shown === '') shown = ABSENT[token.text];
    filled = (inGroups ? withCommas(shown, count) : shown) + filled;
    count += shown.length;
  }
  return filled;
}

/** Whether a comma stands between two places, which asks for groups. */
export function hasGroups(tokens: readonly Token[]): boolean {
  const [first, last] = [
    tokens.findIndex(({ kind }) => kind === 'digit'),
    tokens.findLastIndex(({ kind }) => kind === 'digit'),
  ];
  return tokens.some(({ kind }, index) => kind === 'comma' && index > first && index < last);
}

/** Digits before which so many others stand to the right, with a comma wherever three are complete. */
function withCommas(digits: string, behind: number): string {
  if (digits === ' ') return behind > 0 && behind % 3 === 0 ? '  ' : ' ';
  const all = grouped(digits + '0'.repeat(behind));
  const cut = behind + Math.ceil(behind / 3) - (behind > 0 ? 1 : 0);
  return digits === '' ? '' : all.slice(0, all.length - cut);
}

/** Puts the digits behind a point into placeholders; zeros at the end show only where a 0 wants them. */
export function fillFromLeft(
  tokens: readonly Token[],
  digits: string,
  show: (token: Token) => string,
): string {
  const places = tokens
    .filter(({ kind }) => kind === 'digit')
    .map((token) => ('text' in token ? token.text : ''));
  let shown = digits.length;
  while (shown > 0 && digits[shown - 1] === '0' && places[shown - 1] !== '0') shown--;
  let place = 0;
  return tokens
    .map((token) => {
      if (token.kind !== 'digit') return show(token);
      const digit = place < shown ? (digits[place] ?? '') : ABSENT[token.text];
      place++;
      return digit;
    })
    .join('');
}
