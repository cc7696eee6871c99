import { CellError, ERROR, type Value } from '../../values.ts';
import { define } from '../function.ts';

function isRadix(radix: number): boolean {
  return radix >= 2 && radix < 37;
}

function toBase(number: number, radix: number, length = 0): Value {
  if (number < 0 || number >= 2 ** 53 || !isRadix(radix) || length < 0 || length > 255) return ERROR['#NUM!'];
  return Math.trunc(number).toString(Math.trunc(radix)).toUpperCase().padStart(Math.trunc(length), '0');
}

function fromBase(text: string, radix: number): Value {
  if (!isRadix(radix) || text.length > 255) return ERROR['#NUM!'];
  const base = Math.trunc(radix);
  let value = 0;
  for (const character of digitsOf(text.trim().toLowerCase(), base)) {
    const digit = Number.parseInt(character, 36);
    if (Number.isNaN(digit) || digit >= base) return ERROR['#NUM!'];
    value = value * base + digit;
  }
  return value;
}

/** The digits without the optional prefix or suffix of hexadecimal and binary numbers. */
function digitsOf(text: string, base: number): string {
  if (base === 16) return text.replace(/^0?x/, '').replace(/h$/, '');
  return base === 2 ? text.replace(/b$/, '') : text;
}

export const BASES = [
  define('BASE', ['number', 'number', 'number'], ([number, radix, length]) => toBase(number, radix, length), {
    required: 2,
  }),
  define('DECIMAL', ['text', 'number'], ([text, radix]) => fromBase(text, radix)),
];

const LETTERS = 'IVXLCDM';
const VALUES = [1, 5, 10, 50, 100, 500, 1000];

/**
 * The symbols and subtractive pairs of a form with their values, largest first; each higher form allows pairs that
 * are one symbol further apart.
 */
function symbols(form: number): (readonly [number, string])[] {
  const all: (readonly [number, string])[] = [];
  for (const [index, value] of VALUES.entries()) {
    const nearest = index - 2 + (index % 2);
    all.push([value, LETTERS.charAt(index)]);
    for (let less = nearest; less >= Math.max(0, nearest - form); less -= 1) {
      all.push([value - (VALUES[less] ?? 0), LETTERS.charAt(less) + LETTERS.charAt(index)]);
    }
  }
  return all.sort(([a, x], [b, y]) => b - a || x.length - y.length);
}

function roman(given: number, form: number): string | CellError {
  let rest = Math.trunc(given);
  if (rest < 0 || rest > 3999 || form < 0 || form > 4) return ERROR['#VALUE!'];
  let text = '';
  for (const [value, symbol] of symbols(Math.trunc(form))) {
    while (rest >= value) {
      text += symbol;
      rest -= value;
    }
  }
  return text;
}

function arabic(given: string): number | CellError {
  const [, minus, letters] = /^(-?)([IVXLCDM]*)$/i.exec(given.trim()) ?? [];
  if (letters === undefined || letters.length > 255) return ERROR['#VALUE!'];
  const values = [...letters.toUpperCase()].map((letter) => VALUES[LETTERS.indexOf(letter)] ?? 0);
  let sum = 0;
  for (const [i, value] of values.entries()) sum += value < (values[i + 1] ?? 0) ? -value : value;
  return minus ? -sum : sum;
}

/** TRUE means the classic form, FALSE the shortest. */
function formOf(form: number | boolean): number {
  return typeof form === 'boolean' ? (form ? 0 : 4) : form;
}

export const NUMERALS = [
  define(
    'ROMAN',
    ['number', 'scalar'],
    ([number, form = 0]) => {
      if (form instanceof CellError) return form;
      return roman(number, formOf(typeof form === 'boolean' ? form : Number(form)));
    },
    { required: 1 },
  ),
  define('ARABIC', ['text'], ([text]) => arabic(text)),
];
