import type { FormulaFunction } from '../function.ts';
import { HLOOKUP, LOOKUP, MATCH, VLOOKUP, XLOOKUP, XMATCH } from './matching.ts';
import {
  ADDRESS,
  AREAS,
  COLUMN,
  COLUMNS,
  FORMULATEXT,
  GETPIVOTDATA,
  HYPERLINK,
  INDEX,
  INDIRECT,
  ISREF,
  OFFSET,
  ROW,
  ROWS,
  SHEET,
  SHEETS,
} from './references.ts';

/** Lookup and reference functions. */
export const LOOKUP_FUNCTIONS: readonly FormulaFunction[] = [
  ADDRESS,
  AREAS,
  COLUMN,
  COLUMNS,
  FORMULATEXT,
  GETPIVOTDATA,
  HLOOKUP,
  HYPERLINK,
  INDEX,
  INDIRECT,
  ISREF,
  LOOKUP,
  MATCH,
  OFFSET,
  ROW,
  ROWS,
  SHEET,
  SHEETS,
  VLOOKUP,
  XLOOKUP,
  XMATCH,
];
