import type { FormulaFunction } from '../function.ts';
import { ANNUITY, CUMULATIVE, RATES } from './annuity.ts';
import { ACCRUED, BONDS, PAPERS, TREASURY_BILLS } from './bonds.ts';
import { CASH_FLOWS } from './cash-flows.ts';
import { COUPONS } from './coupons.ts';
import { DEPRECIATION, FRENCH_DEPRECIATION } from './depreciation.ts';
import { ODD_FIRST, ODD_LAST } from './odd-coupons.ts';

/** Financial functions. */
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
