import { type CellError, ERROR } from '../../values.ts';
import type { FormulaFunction } from '../function.ts';
import { numeric } from '../numeric.ts';

const LIMIT = 2 ** 48;

function areBits(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number < LIMIT;
}

/** Declares a function of bits; operators of numbers would cut off at 32. */
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
