import type { CellAddress } from '../cell-address.ts';
import { formulaFromFile } from './from-file.ts';
import { withIntersections } from './intersections.ts';
import { type Names, resolveNames } from './names.ts';
import type { Tables } from './tables.ts';

/** The cell that a formula stands in. */
export interface FormulaPlace extends CellAddress {
  readonly sheet: string;
  /** It computes arrays; others take of a range the one cell beside theirs. */
  readonly isArray: boolean;
}

/** Makes of formulas as files keep them those that cells hold. */
export class FormulaReader {
  readonly #names: Names;
  readonly #tables: Tables;

  constructor(names: Names, tables: Tables) {
    this.#names = names;
    this.#tables = tables;
  }

  /** The input for a formula, which is given without "=". */
  read(text: string, place: FormulaPlace): string {
    const formula = formulaFromFile(this.#resolved(text, place));
    return `=${place.isArray ? formula : withIntersections(formula)}`;
  }

  /** A formula that names would make too long keeps them, and shows #NAME?. */
  #resolved(text: string, { sheet, row, column }: FormulaPlace): string {
    if (this.#names.isEmpty && this.#tables.isEmpty) return text;
    const meaningOf = (reference: string) =>
      this.#names.at(reference, sheet, { row, column }) ?? this.#tables.at(reference, sheet, row);
    return resolveNames(text, meaningOf) ?? text;
  }
}
