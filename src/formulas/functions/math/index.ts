import type { FormulaFunction } from '../function.ts';
import { ELEMENTARY, TRIGONOMETRY } from './elementary.ts';
import { COMBINATORICS, DIVISORS } from './integers.ts';
import { MATRICES } from './matrices.ts';
import { BASES, NUMERALS } from './numerals.ts';
import { RANDOM } from './random.ts';
import { CEILINGS, ROUNDING } from './rounding.ts';
import { CONDITIONAL_SUMS, SUBTOTALS, SUMS } from './sums.ts';

/** Mathematics and trigonometry. */
export const FUNCTIONS: readonly FormulaFunction[] = [
  ...SUMS,
  ...CONDITIONAL_SUMS,
  ...SUBTOTALS,
  ...ROUNDING,
  ...CEILINGS,
  ...ELEMENTARY,
  ...TRIGONOMETRY,
  ...COMBINATORICS,
  ...DIVISORS,
  ...NUMERALS,
  ...BASES,
  ...MATRICES,
  ...RANDOM,
];
