import { FUNCTIONS as ENGINEERING } from './engineering/index.ts';
import { FUNCTIONS as FINANCIAL } from './financial/index.ts';
import type { FormulaFunction } from './function.ts';
import { FUNCTIONS as MATH } from './math/index.ts';
import { FUNCTIONS as STATISTICS } from './statistics/index.ts';

/** The lists of all families: `functions/<family>/index.ts` exports one. */
const FAMILIES: readonly (readonly FormulaFunction[])[] = [MATH, STATISTICS, FINANCIAL, ENGINEERING];

const BY_NAME = new Map(FAMILIES.flat().map((one) => [one.name, one]));

/** The function of a name in capitals; undefined when there is none. */
export function findFunction(name: string): FormulaFunction | undefined {
  return BY_NAME.get(name);
}
