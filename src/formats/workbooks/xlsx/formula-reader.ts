import type { CellAddress } from '../cell-address.ts';

/** The cell that a formula stands in. */
export interface FormulaPlace extends CellAddress {
  readonly sheet: string;
  /** It computes arrays; other formulas take of each range the one cell beside theirs. */
  readonly isArray: boolean;
}

/** Makes of formulas as files keep them those that cells hold. */
export class FormulaReader {
  /** The input for a formula, which is given without "=". */
  read(text: string, _place: FormulaPlace): string {
    return `=${text}`;
  }
}
