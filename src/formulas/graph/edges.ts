const END = -1;
const GROWTH = 1.5;

/** Lists of formulas in one flat array: who names a cell alone. A list is known by where it begins; END is an empty one. */
export class Edges {
  #formulas = new Int32Array(64);
  #nexts = new Int32Array(64);
  #count = 0;

  /** Puts a formula before a list; where the list begins now. */
  add(formula: number, list: number): number {
    if (this.#count === this.#formulas.length) this.#grow();
    this.#formulas[this.#count] = formula;
    this.#nexts[this.#count] = list;
    return this.#count++;
  }

  /** Visits the formulas of a list. */
  each(list: number, visit: (formula: number) => void): void {
    for (let at = list; at !== END; at = this.#nexts[at] as number) visit(this.#formulas[at] as number);
  }

  get bytes(): number {
    return this.#formulas.length * 8;
  }

  #grow(): void {
    const size = Math.ceil(this.#count * GROWTH);
    const [formulas, nexts] = [new Int32Array(size), new Int32Array(size)];
    formulas.set(this.#formulas);
    nexts.set(this.#nexts);
    this.#formulas = formulas;
    this.#nexts = nexts;
  }
}
