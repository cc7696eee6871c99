import type { FormulaFunction } from '../function.ts';
import { CELL } from './cell.ts';
import { INFO } from './info.ts';
import { ERROR_TYPE, ISFORMULA, N, NA, TYPE } from './kinds.ts';
import {
  ISBLANK,
  ISERR,
  ISERROR,
  ISEVEN,
  ISLOGICAL,
  ISNA,
  ISNONTEXT,
  ISNUMBER,
  ISODD,
  ISTEXT,
} from './tests.ts';

/** What tells of values and cells what they are. */
export const INFORMATION_FUNCTIONS: readonly FormulaFunction[] = [
  CELL,
  ERROR_TYPE,
  INFO,
  ISBLANK,
  ISERR,
  ISERROR,
  ISEVEN,
  ISFORMULA,
  ISLOGICAL,
  ISNA,
  ISNONTEXT,
  ISNUMBER,
  ISODD,
  ISTEXT,
  N,
  NA,
  TYPE,
];
