import type { FormulaFunction } from './function.ts';

/** The lists of all families: `functions/<family>/index.ts` exports one. */
const FAMILIES: readonly (readonly FormulaFunction[])[] = [];

const BY_NAME = new Map(FAMILIES.flat().map((one) => [one.name, one]));

/** The function of a name in capitals; undefined when there is none. */
export function findFunction(name: string): FormulaFunction | undefined {
  return BY_NAME.get(name);
}
