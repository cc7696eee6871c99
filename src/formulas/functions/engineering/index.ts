import type { FormulaFunction } from '../function.ts';
import { BESSEL } from './bessel.ts';
import { COMPLEX_FUNCTIONS } from './complex.ts';
import { CONVERT } from './convert.ts';
import { BITS, COMPARING, RADIX } from './radix-and-bits.ts';

/** Engineering functions. */
export const FUNCTIONS: readonly FormulaFunction[] = [
  ...RADIX,
  ...BITS,
  ...COMPARING,
  ...COMPLEX_FUNCTIONS,
  ...CONVERT,
  ...BESSEL,
];
