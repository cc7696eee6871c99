import { ERROR, type Value } from '../../values.ts';
import { define } from '../define.ts';
import type { FormulaFunction } from '../function.ts';

/** A number of ten digits in a base, negative ones as their complement. */
interface Notation {
  readonly radix: number;
  readonly digits: RegExp;
  /** How many numbers ten digits tell apart. */
  readonly range: number;
}

const BINARY: Notation = { radix: 2, digits: /^[01]{0,10}$/, range: 2 ** 10 };
const OCTAL: Notation = { radix: 8, digits: /^[0-7]{0,10}$/, range: 2 ** 30 };
const HEXADECIMAL: Notation = { radix: 16, digits: /^[0-9a-f]{0,10}$/i, range: 2 ** 40 };

function read(text: string, { radix, digits, range }: Notation): number | undefined {
  if (!digits.test(text)) return undefined;
  const value = text === '' ? 0 : Number.parseInt(text, radix);
  return value >= range / 2 ? value - range : value;
}

function write(given: number, places: number | undefined, { radix, range }: Notation): Value {
  const value = Math.trunc(given);
  const width = places === undefined ? undefined : Math.trunc(places);
  if (value < -range / 2 || value >= range / 2) return ERROR['#NUM!'];
  if (width !== undefined && (width < 1 || width > 10)) return ERROR['#NUM!'];
  if (value < 0) return (value + range).toString(radix).toUpperCase();
  const text = value.toString(radix).toUpperCase();
  return width !== undefined && text.length > width ? ERROR['#NUM!'] : text.padStart(width ?? 0, '0');
}

function toDecimal(name: string, from: Notation): FormulaFunction {
  return define(name, ['text'], ([text]) => read(text, from) ?? ERROR['#NUM!']);
}

function fromDecimal(name: string, to: Notation): FormulaFunction {
  return define(name, ['number', 'number'], ([number, places]) => write(number, places, to), {
    required: 1,
    leftOutBy: 'emptyCell',
  });
}

function between(name: string, from: Notation, to: Notation): FormulaFunction {
  return define(
    name,
    ['text', 'number'],
    ([text, places]) => {
      const value = read(text, from);
      return value === undefined ? ERROR['#NUM!'] : write(value, places, to);
    },
    { required: 1, leftOutBy: 'emptyCell' },
  );
}

export const RADIX = [
  toDecimal('BIN2DEC', BINARY),
  toDecimal('OCT2DEC', OCTAL),
  toDecimal('HEX2DEC', HEXADECIMAL),
  fromDecimal('DEC2BIN', BINARY),
  fromDecimal('DEC2OCT', OCTAL),
  fromDecimal('DEC2HEX', HEXADECIMAL),
  between('BIN2OCT', BINARY, OCTAL),
  between('BIN2HEX', BINARY, HEXADECIMAL),
  between('OCT2BIN', OCTAL, BINARY),
  between('OCT2HEX', OCTAL, HEXADECIMAL),
  between('HEX2BIN', HEXADECIMAL, BINARY),
  between('HEX2OCT', HEXADECIMAL, OCTAL),
];
