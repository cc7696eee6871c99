import { decimal } from '../decimals.ts';
import { roundedDigits } from './digits.ts';
import { generalNumber } from './general.ts';
import { fillFromLeft, fillFromRight, hasGroups } from './placeholders.ts';
import type { Token } from './tokens.ts';

/** A number without its sign in a section with placeholders for digits. */
export function formatNumber(tokens: readonly Token[], value: number): string {
  const exponent = tokens.findIndex(({ kind }) => kind === 'exponent');
  if (exponent >= 0) return scientific(tokens.slice(0, exponent), tokens.slice(exponent), value);
  const { mantissa, shift } = scaled(tokens);
  const { before, point, after } = atPoint(mantissa);
  const { whole, fraction } = roundedDigits(value, digitCount(after), shift);
  return mantissaText(before, point, after, whole, fraction, value);
}

function mantissaText(
  before: readonly Token[],
  point: boolean,
  after: readonly Token[],
  whole: string,
  fraction: string,
  value: number,
): string {
  const show = (token: Token): string => plain(token, value);
  // Without a place before the point, what belongs there is shown nevertheless.
  const head = digitCount(before) === 0 && whole !== '' && point ? whole : '';
  return (
    fillFromRight(withoutCommas(before), whole, hasGroups(before), show) +
    head +
    (point ? '.' : '') +
    fillFromLeft(withoutCommas(after), fraction, show)
  );
}

/** Percent signs and commas behind the last place move the point. */
function scaled(tokens: readonly Token[]): { mantissa: readonly Token[]; shift: number } {
  const percents = tokens.filter(({ kind }) => kind === 'percent').length;
  const { before, after } = atPoint(tokens);
  const thousands = trailingCommas(before) + trailingCommas(after);
  return { mantissa: tokens, shift: percents * 2 - thousands * 3 };
}

function trailingCommas(tokens: readonly Token[]): number {
  const last = tokens.findLastIndex(({ kind }) => kind === 'digit');
  if (last < 0) return 0;
  let count = 0;
  while (tokens[last + 1 + count]?.kind === 'comma') count++;
  return count;
}

function withoutCommas(tokens: readonly Token[]): Token[] {
  return tokens.filter(({ kind }) => kind !== 'comma');
}

function atPoint(tokens: readonly Token[]): {
  before: readonly Token[];
  point: boolean;
  after: readonly Token[];
} {
  const index = tokens.findIndex(({ kind }) => kind === 'point');
  if (index < 0) return { before: tokens, point: false, after: [] };
  return { before: tokens.slice(0, index), point: true, after: tokens.slice(index + 1) };
}

function digitCount(tokens: readonly Token[]): number {
  return tokens.filter(({ kind }) => kind === 'digit').length;
}

/** As many digits before the point as there are places; powers of ten go in steps of as many. */
function scientific(mantissa: readonly Token[], rest: readonly Token[], value: number): string {
  const { before, point, after } = atPoint(mantissa);
  const places = digitCount(before);
  const step = Math.max(places, 1);
  const stepped = (exponent: number): number =>
    places === 0 ? exponent + 1 : Math.floor(exponent / step) * step;
  let power = value === 0 ? 0 : stepped(decimal(value).exponent);
  let digits = roundedDigits(value, digitCount(after), -power);
  // Rounding up may have made one digit too many.
  if (digits.whole.length > step) {
    power += step;
    digits = roundedDigits(value, digitCount(after), -power);
  }
  const whole = value === 0 ? '0'.repeat(step) : digits.whole;
  return mantissaText(before, point, after, whole, digits.fraction, value) + powerText(rest, power, value);
}

/** The letter, and the power of ten, whose sign stands before its first digit. */
function powerText(tokens: readonly Token[], power: number, value: number): string {
  const [letter, ...rest] = tokens;
  if (letter?.kind !== 'exponent') return '';
  const sign = power < 0 ? '-' : letter.plus ? '+' : '';
  const first = rest.findIndex(({ kind }) => kind === 'digit');
  const show = (token: Token): string => plain(token, value);
  const places = withoutCommas(first < 0 ? [] : rest.slice(first));
  const between = first < 0 ? rest : rest.slice(0, first);
  return (
    letter.text +
    between.map(show).join('') +
    sign +
    fillFromRight(places, String(Math.abs(power)), false, show)
  );
}

/** A token that is no place of a digit. */
function plain(token: Token, value: number): string {
  if (token.kind === 'literal') return token.text;
  if (token.kind === 'percent') return '%';
  if (token.kind === 'slash') return '/';
  return token.kind === 'general' ? generalNumber(value) : '';
}
