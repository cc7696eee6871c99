import type { FunctionFault } from '../calculation.ts';
import { SPILLED } from '../cells/column.ts';
import type { WhyHidden } from '../cells/sheet.ts';
import { referenceOf } from '../compile/areas.ts';
import type { Host, Surroundings } from '../compile/compiler.ts';
import { lookingUp } from '../spending.ts';
import { formulaOf } from '../syntax/template.ts';
import type { Area, Grid, Scalar, Value } from '../values.ts';
import { AreaGrid, UnknownCells } from './area-grid.ts';
import type { Book } from './book.ts';
import { type Budget, OutOfTime, TooMuch, thrownLightly, Unknown } from './budget.ts';
import { STATE } from './formulas.ts';

/** Frames of the stack that are enough to find a fault. */
const FRAMES = 4;
/** What the engine throws where a formula exhausts the stack or asks for what cannot be; other RangeErrors are faults. */
const BOMB = /^maximum .+ exceeded|invalid (?:array|string|typed array) length|allocation failed/i;

/** Thrown in place of what a function threw and must not. */
class FailedFunction extends Error {
  readonly functionName: string;

  constructor(functionName: string, cause: unknown) {
    super(`${functionName} has failed`, { cause });
    this.functionName = functionName;
  }
}

/** Whether a formula has asked for more than can be. */
export function isBomb(thrown: unknown): boolean {
  return thrown instanceof TooMuch || (thrown instanceof RangeError && BOMB.test(thrown.message));
}

/** What to throw for what a function threw: the same where that is in order, else that the function has failed. */
function namingFunction(name: string, thrown: unknown): unknown {
  const isKnown =
    thrown instanceof Unknown || thrown instanceof OutOfTime || thrown instanceof FailedFunction;
  return isKnown || isBomb(thrown) ? thrown : new FailedFunction(name, thrown);
}

/** Counts faults by functions. Messages are left out of them, for they may hold what stands in cells. */
export class Faults {
  readonly #faults = new Map<string, FunctionFault>();

  note(thrown: unknown): void {
    const name = thrown instanceof FailedFunction ? thrown.functionName : 'the engine';
    const cause = thrown instanceof FailedFunction ? thrown.cause : thrown;
    const times = (this.#faults.get(name)?.times ?? 0) + 1;
    this.#faults.set(name, { function: name, ...siteOf(cause), times });
  }

  /** The faults since they were last taken. */
  take(): FunctionFault[] {
    const taken = [...this.#faults.values()];
    this.#faults.clear();
    return taken;
  }
}

function siteOf(cause: unknown): { kind: string; frames: readonly string[] } {
  if (!(cause instanceof Error)) return { kind: typeof cause, frames: [] };
  const lines = (cause.stack ?? '').split('\n');
  const frames = lines.filter((line) => /^ {4}at .*:\d+:\d+\)?$/.test(line)).map((line) => line.trim());
  return { kind: cause.constructor.name, frames: frames.slice(0, FRAMES) };
}

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
