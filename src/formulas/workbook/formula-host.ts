import type { FunctionFault } from '../calculation.ts';
import { SPILLED } from '../cells/column.ts';
import type { HiddenReason } from '../cells/sheet.ts';
import { referenceOf } from '../compile/areas.ts';
import type { Host, Surroundings } from '../compile/compiler.ts';
import { clockTicker } from '../steps.ts';
import { formulaOf } from '../syntax/template.ts';
import type { Area, Grid, Scalar, Value } from '../values.ts';
import { AreaGrid, UnknownCells } from './area-grid.ts';
import type { Book } from './book.ts';
import { type Budget, OutOfTime, TooMuch, Unknown, withoutStackTrace } from './budget.ts';
import { STATE } from './formulas.ts';

/** Stack frames reported for a fault. */
const FRAMES = 4;
/**
 * Messages of the engine when a formula exhausts the stack or requests impossible sizes; other RangeErrors are
 * faults.
 */
const RESOURCE_ERROR = /^maximum .+ exceeded|invalid (?:array|string|typed array) length|allocation failed/i;

/** Wraps an unexpected error of a function. */
class FailedFunction extends Error {
  readonly functionName: string;

  constructor(functionName: string, cause: unknown) {
    super(`${functionName} has failed`, { cause });
    this.functionName = functionName;
  }
}

/** Whether a formula has exceeded resource limits. */
export function isResourceError(thrown: unknown): boolean {
  return thrown instanceof TooMuch || (thrown instanceof RangeError && RESOURCE_ERROR.test(thrown.message));
}

/** Returns an expected error unchanged and wraps any other in FailedFunction. */
function wrapFault(name: string, thrown: unknown): unknown {
  const isKnown =
    thrown instanceof Unknown || thrown instanceof OutOfTime || thrown instanceof FailedFunction;
  return isKnown || isResourceError(thrown) ? thrown : new FailedFunction(name, thrown);
}

/** Counts faults by function. Omits error messages, which may contain cell content. */
export class Faults {
  readonly #faults = new Map<string, FunctionFault>();

  note(thrown: unknown): void {
    const name = thrown instanceof FailedFunction ? thrown.functionName : 'the engine';
    const cause = thrown instanceof FailedFunction ? thrown.cause : thrown;
    const times = (this.#faults.get(name)?.times ?? 0) + 1;
    this.#faults.set(name, { function: name, ...siteOf(cause), times });
  }

  /** Returns and clears the faults. */
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

/** Prefixes of newer names in files; people never see them. */
const PREFIXES = /\b_xl(?:fn|ws|pm|op)\./gi;

/** The workbook as seen by a running formula. */
export class FormulaHost implements Host {
  cell = { sheet: 0, row: 0, column: 0 };
  now = 0;
  readonly sheets: readonly string[];
  /** Areas that the formula has read without naming them. */
  found: Area[] = [];
  readonly #book: Book;
  readonly #budget: Budget;
  readonly #surroundings: Surroundings;
  #named: readonly Area[] | undefined;

  readonly spend = (steps: number): void => this.#budget.spend(steps);
  readonly tick = clockTicker(this.spend);

  constructor(book: Book, surroundings: Surroundings, budget: Budget) {
    this.#book = book;
    this.#budget = budget;
    this.#surroundings = surroundings;
    this.sheets = book.sheetNames;
  }

  /** Starts the run of a formula. */
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
      throw withoutStackTrace(() => new Unknown(formula));
    }
    return cells.value(slot);
  }

  demand(area: Area): void {
    if (new UnknownCells(this.#book, area).next() >= 0) throw withoutStackTrace(() => new Unknown(area));
  }

  grid(area: Area): Grid {
    return new AreaGrid(area, this.#book, this);
  }

  reference(area: Area): Grid {
    if (this.#book.sheets[area.sheet] === undefined) throw new RangeError(`there is no sheet ${area.sheet}`);
    const cell = this.cell;
    const formula = this.#book.formulaAt(cell.sheet, cell.row, cell.column);
    this.#named ??= this.#book.namedAreas(formula);
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

  hiddenReason(sheet: number, row: number): HiddenReason | undefined {
    return this.#book.sheets[sheet]?.hiddenReason(row);
  }

  failed(functionName: string, thrown: unknown): unknown {
    return wrapFault(functionName, thrown);
  }

  spillArea(sheet: number, row: number, column: number): Area | undefined {
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
