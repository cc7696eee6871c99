import type { FormulaFunction } from '../function.ts';
import { ACCRUED } from './accrued.ts';
import { ANNUITY } from './annuity.ts';
import { BONDS } from './bonds.ts';
import { CASH_FLOWS } from './cash-flows.ts';
import { COUPONS } from './coupons.ts';
import { CUMULATIVE } from './cumulative.ts';
import { DEPRECIATION } from './depreciation.ts';
import { FRENCH_DEPRECIATION } from './french-depreciation.ts';
import { ODD_FIRST } from './odd-first.ts';
import { ODD_LAST } from './odd-last.ts';
import { PAPERS } from './papers.ts';
import { RATES } from './rates.ts';
import { TREASURY_BILLS } from './treasury-bills.ts';

/** Finance. */
export const FUNCTIONS: readonly FormulaFunction[] = [
  ...ANNUITY,
  ...CUMULATIVE,
  ...CASH_FLOWS,
  ...RATES,
  ...DEPRECIATION,
  ...FRENCH_DEPRECIATION,
  ...COUPONS,
  ...BONDS,
  ...ODD_FIRST,
  ...ODD_LAST,
  ...PAPERS,
  ...ACCRUED,
  ...TREASURY_BILLS,
];
