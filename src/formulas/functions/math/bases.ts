import { ERROR, type Value } from '../../values.ts';
import { define } from '../define.ts';

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

/** The digits behind the prefix, or before the suffix, that hexadecimal and binary numbers may carry. */
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
