import type { FormulaFunction } from '../function.ts';
import { FILTER } from './filter.ts';
import { CHOOSECOLS, CHOOSEROWS, DROP, TAKE, TRIMRANGE } from './parts.ts';
import { EXPAND, HSTACK, TOCOL, TOROW, TRANSPOSE, VSTACK, WRAPCOLS, WRAPROWS } from './shapes.ts';
import { SORT, SORTBY } from './sort.ts';
import { UNIQUE } from './unique.ts';

/** What makes arrays out of arrays. */
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
