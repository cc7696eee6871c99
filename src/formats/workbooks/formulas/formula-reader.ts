import type { CellAddress } from '../cell-address.ts';
import { formulaFromFile } from './from-file.ts';
import { withIntersections } from './intersections.ts';

/** The cell that a formula stands in. */
export interface FormulaPlace extends CellAddress {
  readonly sheet: string;
  /** It computes arrays; others take of a range the one cell beside theirs. */
  readonly isArray: boolean;
}

/** Makes of formulas as files keep them those that cells hold. */
export class FormulaReader {
  /** The input for a formula, which is given without "=". */
  read(text: string, { isArray }: FormulaPlace): string {
    const formula = formulaFromFile(text);
    return `=${isArray ? formula : withIntersections(formula)}`;
  }
}
