import type { FormulaFunction } from '../function.ts';
import { ADDRESS } from './address.ts';
import { FORMULATEXT, GETPIVOTDATA, HYPERLINK } from './contents.ts';
import { INDEX } from './index-function.ts';
import { MATCH, XMATCH } from './match.ts';
import { COLUMN, COLUMNS, ROW, ROWS, SHEET, SHEETS } from './positions.ts';
import { AREAS, INDIRECT, ISREF, OFFSET } from './references.ts';
import { HLOOKUP, LOOKUP, VLOOKUP } from './vlookup.ts';
import { XLOOKUP } from './xlookup.ts';

/** What finds values and makes references. */
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
