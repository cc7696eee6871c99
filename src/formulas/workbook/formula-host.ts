import { SPILLED } from '../cells/kinds.ts';
import type { WhyHidden } from '../cells/sheet.ts';
import type { Host } from '../compile/code.ts';
import type { Surroundings } from '../compile/compiler.ts';
import { referenceOf } from '../compile/reference-text.ts';
import { lookingUp } from '../spending.ts';
import { formulaOf } from '../syntax/template.ts';
import type { Area, Grid, Scalar, Value } from '../values.ts';
import { AreaGrid } from './area-grid.ts';
import type { Book } from './book.ts';
import type { Budget } from './budget.ts';
import { namingFunction } from './faults.ts';
import { STATE } from './formulas.ts';
import { thrownLightly, Unknown } from './interruptions.ts';
import { UnknownCells } from './unknown-cells.ts';

/** What files write before newer names; nobody sees it in a formula. */
const PREFIXES = /\b_xl(?:fn|ws|pm|op)\./gi;

/** What a formula that runs sees of its workbook. */
export class FormulaHost implements Host {
  cell = { sheet: 0, row: 0, column: 0 };
  now = 0;
  readonly sheets: readonly string[];
  /** Areas that the formula has come to without naming them. */
  found: Area[] = [];
  readonly #book: Book;
  readonly #budget: Budget;
  readonly #surroundings: Surroundings;
  #named: readonly Area[] | undefined;

  readonly spend = (steps: number): void => this.#budget.spend(steps);
  readonly look = lookingUp(this.spend);

  constructor(book: Book, surroundings: Surroundings, budget: Budget) {
    this.#book = book;
    this.#budget = budget;
    this.#surroundings = surroundings;
    this.sheets = book.sheetNames;
  }

  /** Begins the run of a formula. */
  enter(formula: number): void {
    this.#budget.startFormula();
    this.cell = this.#book.cellOf(formula);
    this.found = [];
    this.#named = undefined;
  }

  random(): number {
    return Math.random();
  }

  read(sheet: number, row: number, column: number): Scalar {
    const cells = this.#book.sheets[sheet]?.column(column);
    const slot = cells?.find(row) ?? -1;
    if (cells === undefined || slot < 0) return null;
    const formula = cells.formulas[slot] as number;
    if (formula >= 0 && this.#book.formulas.state(formula) !== STATE.clean) {
      throw thrownLightly(() => new Unknown(formula));
    }
    return cells.value(slot);
  }

  demand(area: Area): void {
    if (new UnknownCells(this.#book, area).next() >= 0) throw thrownLightly(() => new Unknown(area));
  }

  grid(area: Area): Grid {
    return new AreaGrid(area, this.#book, this);
  }

  reference(area: Area): Grid {
    if (this.#book.sheets[area.sheet] === undefined) throw new RangeError(`there is no sheet ${area.sheet}`);
    const cell = this.cell;
    const formula = this.#book.formulaAt(cell.sheet, cell.row, cell.column);
    this.#named ??= this.#book.namedBy(formula);
    if (!this.#named.some((named) => holds(named, area)) && !this.found.some((one) => holds(one, area))) {
      this.found.push(area);
    }
    return this.grid(area);
  }

  referenceOf(text: string, notation: 'A1' | 'R1C1'): Value {
    return referenceOf(text, notation, this, this.#surroundings);
  }

  formula(sheet: number, row: number, column: number): string | undefined {
    const cells = this.#book.sheets[sheet]?.column(column);
    const slot = cells?.find(row) ?? -1;
    const formula = cells?.formulas[slot] ?? -1;
    if (formula < 0 || ((cells?.kinds[slot] ?? 0) & SPILLED) !== 0) return undefined;
    return formulaOf(this.#book.formulas.program(formula).template, row, column).replace(PREFIXES, '');
  }

  whyHidden(sheet: number, row: number): WhyHidden | undefined {
    return this.#book.sheets[sheet]?.whyHidden(row);
  }

  failed(functionName: string, thrown: unknown): unknown {
    return namingFunction(functionName, thrown);
  }

  spilled(sheet: number, row: number, column: number): Area | undefined {
    const formula = this.#book.formulaAt(sheet, row, column);
    const area = this.#book.spills.get(formula);
    if (area !== undefined) return area.top === row && area.left === column ? area : undefined;
    return formula < 0 ? undefined : { sheet, top: row, left: column, bottom: row, right: column };
  }
}

function holds(outer: Area, inner: Area): boolean {
  return (
    outer.sheet === inner.sheet &&
    outer.top <= inner.top &&
    outer.left <= inner.left &&
    outer.bottom >= inner.bottom &&
    outer.right >= inner.right
  );
}
