import type { FormulaFunction } from '../function.ts';
import { BESSEL } from './bessel.ts';
import { BITS } from './bits.ts';
import { COMPARING } from './comparing.ts';
import { COMPLEX_FUNCTIONS } from './complex-functions.ts';
import { CONVERT } from './convert.ts';
import { RADIX } from './radix.ts';

/** Engineering. */
export const FUNCTIONS: readonly FormulaFunction[] = [
  ...RADIX,
  ...BITS,
  ...COMPARING,
  ...COMPLEX_FUNCTIONS,
  ...CONVERT,
  ...BESSEL,
];
