import type { FormulaFunction } from '../function.ts';
import { CHOOSECOLS, CHOOSEROWS, DROP, TAKE, TRIMRANGE } from './parts.ts';
import { EXPAND, HSTACK, TOCOL, TOROW, TRANSPOSE, VSTACK, WRAPCOLS, WRAPROWS } from './shapes.ts';
import { FILTER, SORT, SORTBY, UNIQUE } from './sorting-and-filtering.ts';

/** Functions from arrays to arrays. */
export const ARRAY_FUNCTIONS: readonly FormulaFunction[] = [
  CHOOSECOLS,
  CHOOSEROWS,
  DROP,
  EXPAND,
  FILTER,
  HSTACK,
  SORT,
  SORTBY,
  TAKE,
  TOCOL,
  TOROW,
  TRANSPOSE,
  TRIMRANGE,
  UNIQUE,
  VSTACK,
  WRAPCOLS,
  WRAPROWS,
];
