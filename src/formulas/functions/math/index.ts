import type { FormulaFunction } from '../function.ts';
import { BASES } from './bases.ts';
import { CEILINGS } from './ceilings.ts';
import { COMBINATORICS } from './combinatorics.ts';
import { CONDITIONAL_SUMS } from './conditional-sums.ts';
import { DIVISORS } from './divisors.ts';
import { ELEMENTARY } from './elementary.ts';
import { MATRICES } from './matrices.ts';
import { NUMERALS } from './numerals.ts';
import { RANDOM } from './random.ts';
import { ROUNDING } from './rounding.ts';
import { SUBTOTALS } from './subtotal.ts';
import { SUMS } from './sums.ts';
import { TRIGONOMETRY } from './trigonometry.ts';

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
