import type { CellAddress } from '../cell-address.ts';
import { MovableFormula } from './movable-formula.ts';

/** Formulas of which a file has the text at one cell, and which others have in common with it. */
export class SharedFormulas {
  readonly #groups = new Map<string, { text: string; address: CellAddress; movable?: MovableFormula }>();

  /** The formula of a group as it stands at a cell; undefined where the group has none. A cell with a text begins a group. */
  at(group: string, text: string, address: CellAddress): string | undefined {
    if (text !== '') this.#groups.set(group, { text, address });
    const found = this.#groups.get(group);
    if (!found || text !== '') return found?.text;
    found.movable ??= new MovableFormula(found.text, found.address);
    return found.movable.at(address);
  }
}
