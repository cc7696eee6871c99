import { withoutTrailing } from '../../text/without-trailing.ts';
import { decimal } from '../number-text.ts';
import type { Token } from './tokens.ts';

/** An unsigned number as digits before and after the point. */
interface Digits {
  /** Empty for a number below 1. */
  readonly whole: string;
  readonly fraction: string;
}

/**
 * The first 15 digits of a number, shifted by a power of ten and rounded half up.
 * @param places the number of decimals; negative rounds before the point
 */
export function roundedDigits(value: number, places: number, shift = 0): Digits {
  const { digits, exponent } = decimal(value);
  // The position of the point among the digits, and the number of retained digits.
  const point = exponent + shift + 1;
  const retained = point + places;
  if (retained < 0) return { whole: '', fraction: '0'.repeat(Math.max(places, 0)) };
  const head = BigInt(digits.slice(0, retained) || '0');
  const rounded = head + (digits.charAt(retained) >= '5' ? 1n : 0n);
  const text = `${rounded}${'0'.repeat(Math.max(retained - digits.length, 0))}`;
  if (places <= 0) return { whole: rounded === 0n ? '' : text + '0'.repeat(-places), fraction: '' };
  const padded = text.padStart(places + 1, '0');
  return {
    whole: padded.slice(0, -places).replace(/^0+/, ''),
    fraction: padded.slice(-places),
  };
}

/** Digits with thousands separators. */
export function withThousands(whole: string): string {
  const first = whole.length % 3 || 3;
  const groups = [whole.slice(0, first)];
  for (let at = first; at < whole.length; at += 3) groups.push(whole.slice(at, at + 3));
  return groups.join(',');
}

/** Most characters of a number in the General format, without the sign. */
const WIDTH = 11;
const SCIENTIFIC_DECIMALS = 5;

/** An unsigned number in the General format, as in a wide enough cell. */
export function generalNumber(value: number): string {
  const { digits, exponent } = decimal(value);
  const decimals = exponent >= 0 ? WIDTH - 2 - exponent : WIDTH - 2;
  const tooSmall = exponent < -4 && digits.length - 1 - exponent > decimals;
  if (digits === '0') return '0';
  if (exponent >= WIDTH || tooSmall) return scientificGeneral(value, exponent);
  const { whole, fraction } = roundedDigits(value, Math.max(decimals, 0));
  const tail = withoutTrailing(fraction, '0');
  return (whole || '0') + (tail === '' ? '' : `.${tail}`);
}

function scientificGeneral(value: number, exponent: number): string {
  const { whole, fraction } = roundedDigits(value, SCIENTIFIC_DECIMALS, -exponent);
  const power = whole.length > 1 ? exponent + 1 : exponent;
  const tail = withoutTrailing(fraction, '0');
  const mantissa = whole.charAt(0) + (tail === '' ? '' : `.${tail}`);
  return `${mantissa}E${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** The character for an absent digit. */
const ABSENT = { '0': '0', '?': ' ', '#': '' } as const;

/**
 * Fills digits into the placeholders of tokens from right to left; the leftmost placeholder takes all remaining
 * digits. Other tokens stay between them.
 * @param inGroups whether to insert thousands separators
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

/** Whether a comma between two digits requests thousands separators. */
export function hasGroups(tokens: readonly Token[]): boolean {
  const [first, last] = [
    tokens.findIndex(({ kind }) => kind === 'digit'),
    tokens.findLastIndex(({ kind }) => kind === 'digit'),
  ];
  return tokens.some(({ kind }, index) => kind === 'comma' && index > first && index < last);
}

/** Digits with `behind` further digits to their right, with commas after each complete group of three. */
function withCommas(digits: string, behind: number): string {
  if (digits === ' ') return behind > 0 && behind % 3 === 0 ? '  ' : ' ';
  const all = withThousands(digits + '0'.repeat(behind));
  const cut = behind + Math.ceil(behind / 3) - (behind > 0 ? 1 : 0);
  return digits === '' ? '' : all.slice(0, all.length - cut);
}

/** Fills the decimals into placeholders; trailing zeros appear only for the placeholder 0. */
function fillFromLeft(tokens: readonly Token[], digits: string, show: (token: Token) => string): string {
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

/** An unsigned number in a section with digit placeholders. */
export function formatNumber(tokens: readonly Token[], value: number): string {
  const exponent = tokens.findIndex(({ kind }) => kind === 'exponent');
  if (exponent >= 0) return scientific(tokens.slice(0, exponent), tokens.slice(exponent), value);
  const { mantissa, shift } = extractScale(tokens);
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
  // Without a placeholder before the point the integer part appears nevertheless.
  const head = digitCount(before) === 0 && whole !== '' && point ? whole : '';
  return (
    fillFromRight(withoutCommas(before), whole, hasGroups(before), show) +
    head +
    (point ? '.' : '') +
    fillFromLeft(withoutCommas(after), fraction, show)
  );
}

/** Percent signs and trailing commas shift the point. */
function extractScale(tokens: readonly Token[]): { mantissa: readonly Token[]; shift: number } {
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

/** As many digits before the point as placeholders; the exponent is a multiple of their number. */
function scientific(mantissa: readonly Token[], rest: readonly Token[], value: number): string {
  const { before, point, after } = atPoint(mantissa);
  const places = digitCount(before);
  const step = Math.max(places, 1);
  const stepped = (exponent: number): number =>
    places === 0 ? exponent + 1 : Math.floor(exponent / step) * step;
  let power = value === 0 ? 0 : stepped(decimal(value).exponent);
  let digits = roundedDigits(value, digitCount(after), -power);
  // Rounding up may have added a digit.
  if (digits.whole.length > step) {
    power += step;
    digits = roundedDigits(value, digitCount(after), -power);
  }
  const whole = value === 0 ? '0'.repeat(step) : digits.whole;
  return mantissaText(before, point, after, whole, digits.fraction, value) + powerText(rest, power, value);
}

/** The letter and the exponent; its sign precedes its first digit. */
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

/** A token other than a digit placeholder. */
function plain(token: Token, value: number): string {
  if (token.kind === 'literal') return token.text;
  if (token.kind === 'percent') return '%';
  if (token.kind === 'slash') return '/';
  return token.kind === 'general' ? generalNumber(value) : '';
}
