import { erf, erfc } from '../../numerics/distributions.ts';
import { type CellError, ERROR, type Value } from '../../values.ts';
import { define, type FormulaFunction } from '../function.ts';
import { alias, numeric } from '../numbers.ts';

/** A notation of numbers with ten digits; negative numbers as their complement. */
interface Notation {
  readonly radix: number;
  readonly digits: RegExp;
  /** How many different numbers ten digits represent. */
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

function radixConversion(name: string, from: Notation, to: Notation): FormulaFunction {
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
  radixConversion('BIN2OCT', BINARY, OCTAL),
  radixConversion('BIN2HEX', BINARY, HEXADECIMAL),
  radixConversion('OCT2BIN', OCTAL, BINARY),
  radixConversion('OCT2HEX', OCTAL, HEXADECIMAL),
  radixConversion('HEX2BIN', HEXADECIMAL, BINARY),
  radixConversion('HEX2OCT', HEXADECIMAL, OCTAL),
];

const LIMIT = 2 ** 48;

function areBits(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number < LIMIT;
}

/** Defines a bitwise function by BigInt: number operators work on 32 bits only. */
function bitwise(name: string, join: (a: bigint, b: bigint) => bigint): FormulaFunction {
  return numeric(name, 2, 2, (a, b) =>
    areBits(a) && areBits(b) ? Number(join(BigInt(a), BigInt(b))) : ERROR['#NUM!'],
  );
}

function shiftLeft(number: number, given: number): number | CellError {
  const shift = Math.trunc(given);
  if (!areBits(number) || Math.abs(shift) > 53) return ERROR['#NUM!'];
  const shifted = Math.floor(number * 2 ** shift);
  return shifted < LIMIT ? shifted : ERROR['#NUM!'];
}

export const BITS = [
  bitwise('BITAND', (a, b) => a & b),
  bitwise('BITOR', (a, b) => a | b),
  bitwise('BITXOR', (a, b) => a ^ b),
  numeric('BITLSHIFT', 2, 2, shiftLeft),
  numeric('BITRSHIFT', 2, 2, (number, shift) => shiftLeft(number, -shift)),
];

const erfcFunction = numeric('ERFC', 1, 1, erfc);

export const COMPARING = [
  numeric('DELTA', 1, 2, (a, b = 0) => Number(a === b), { addIn: true }),
  numeric('GESTEP', 1, 2, (number, step = 0) => Number(number >= step), { addIn: true }),
  numeric('ERF', 1, 2, (from, to) => (to === undefined ? erf(from) : erf(to) - erf(from)), {
    leftOutBy: 'emptyCell',
  }),
  numeric('ERF.PRECISE', 1, 1, erf),
  erfcFunction,
  alias('ERFC.PRECISE', erfcFunction),
];
