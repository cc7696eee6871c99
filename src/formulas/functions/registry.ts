import { ARRAY_FUNCTIONS } from './arrays/index.ts';
import { DATABASE_FUNCTIONS } from './database.ts';
import { DATETIME_FUNCTIONS } from './datetime/index.ts';
import { FUNCTIONS as ENGINEERING_FUNCTIONS } from './engineering/index.ts';
import { FUNCTIONS as FINANCIAL_FUNCTIONS } from './financial/index.ts';
import type { FormulaFunction } from './function.ts';
import { INFORMATION_FUNCTIONS } from './information.ts';
import { LOGICAL_FUNCTIONS } from './logical.ts';
import { LOOKUP_FUNCTIONS } from './lookup/index.ts';
import { FUNCTIONS as MATH_FUNCTIONS } from './math/index.ts';
import { FUNCTIONS as STATISTICS_FUNCTIONS } from './statistics/index.ts';
import { TEXT_FUNCTIONS } from './text/index.ts';
import { WEB_FUNCTIONS } from './web.ts';

/** The lists of all families: each `functions/<family>/index.ts` exports one. */
const FAMILIES: readonly (readonly FormulaFunction[])[] = [
  ARRAY_FUNCTIONS,
  DATABASE_FUNCTIONS,
  DATETIME_FUNCTIONS,
  ENGINEERING_FUNCTIONS,
  FINANCIAL_FUNCTIONS,
  INFORMATION_FUNCTIONS,
  LOGICAL_FUNCTIONS,
  LOOKUP_FUNCTIONS,
  MATH_FUNCTIONS,
  STATISTICS_FUNCTIONS,
  TEXT_FUNCTIONS,
  WEB_FUNCTIONS,
];

const BY_NAME = new Map(FAMILIES.flat().map((one) => [one.name, one]));

/** The function with this upper-case name; undefined for an unknown one. */
export function findFunction(name: string): FormulaFunction | undefined {
  return BY_NAME.get(name);
}

/** The names of all functions, sorted. */
export const FUNCTION_NAMES: readonly string[] = [...BY_NAME.keys()].sort();
