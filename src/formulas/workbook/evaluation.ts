import { KIND, SPILLED } from '../cells/column.ts';
import { gridValue } from '../compile/compile.ts';
import type { Surroundings } from '../compile/compiler.ts';
import { isGrid } from '../grids.ts';
import { type Area, ERROR, type Grid, type Scalar, type Value } from '../values.ts';
import { UnknownCells } from './area-grid.ts';
import type { Book } from './book.ts';
import { type AreOthersWaiting, Budget, GaveWay, OutOfTime, Unknown } from './budget.ts';
import { Faults, FormulaHost, isBomb } from './formula-host.ts';
import { STATE } from './formulas.ts';
import type { Staleness } from './staleness.ts';

/** Whether an array found room. One that did not is told of what it must wait for. */
type Spilled = { readonly area: Area } | { readonly blockedIn: readonly Area[] };

/**
 * Writes an array below and to the right of its cell. What is in the way blocks it, but for an array that spilled from a
 * later cell: that one has to give way, so that the outcome does not depend on who came first.
 */
function spill(formula: number, grid: Grid, book: Book, staleness: Staleness): Spilled {
  const { sheet, row, column } = book.cellOf(formula);
  const area = {
    sheet,
    top: row,
    left: column,
    bottom: row + grid.rows - 1,
    right: column + grid.columns - 1,
  };
  const others = new Set<number>();
  if (!findOthers(area, formula, book, others)) return { blockedIn: withoutAnchor(area) };
  for (const other of others) staleness.formulaChanged(other);
  write(formula, grid, area, book);
  book.spills.set(formula, area);
  return { area };
}

/** Gathers the arrays that must give way; false when something is in the way for good. */
function findOthers(area: Area, formula: number, book: Book, others: Set<number>): boolean {
  for (const [, cells] of book.sheet(area.sheet).columns(area.left, area.right)) {
    for (let slot = cells.from(area.top); slot < cells.count; slot++) {
      if ((cells.rows[slot] as number) > area.bottom) break;
      const [kind, owner] = [cells.kinds[slot] as number, cells.formulas[slot] as number];
      if (owner === formula || (kind === KIND.empty && owner < 0)) continue;
      if ((kind & SPILLED) === 0 || isBefore(owner, formula, book)) return false;
      others.add(owner);
    }
  }
  return true;
}

/** Row by row, as one reads. */
function isBefore(one: number, other: number, book: Book): boolean {
  const [a, b] = [book.cellOf(one), book.cellOf(other)];
  return a.row < b.row || (a.row === b.row && a.column < b.column);
}

/** All of an area but its first cell. */
function withoutAnchor({ sheet, top, left, bottom, right }: Area): Area[] {
  const areas: Area[] = [];
  if (right > left) areas.push({ sheet, top, left: left + 1, bottom: top, right });
  if (bottom > top) areas.push({ sheet, top: top + 1, left, bottom, right });
  return areas;
}

function write(formula: number, grid: Grid, area: Area, book: Book): void {
  const rows = Int32Array.from({ length: grid.rows }, (_, at) => area.top + at);
  for (let column = 0; column < grid.columns; column++) {
    const cells = book.sheet(area.sheet).ensure(area.left + column);
    cells.insert(rows);
    const first = cells.find(area.top);
    for (let row = 0; row < grid.rows; row++) {
      const slot = first + row;
      cells.put(slot, grid.at(row, column) ?? 0);
      if (row + column === 0) continue;
      cells.kinds[slot] = (cells.kinds[slot] as number) | SPILLED;
      cells.formulas[slot] = formula;
    }
  }
}

/** Whether an array is what a formula has spilled already. */
function isSpilled(formula: number, grid: Grid, book: Book): boolean {
  const area = book.spills.get(formula);
  if (area === undefined || area.bottom - area.top + 1 !== grid.rows) return false;
  if (area.right - area.left + 1 !== grid.columns) return false;
  for (let column = 0; column < grid.columns; column++) {
    const cells = book.sheet(area.sheet).ensure(area.left + column);
    const first = cells.find(area.top);
    for (let row = 0; row < grid.rows; row++) {
      if (cells.formulas[first + row] !== formula) return false;
      if (cells.value(first + row) !== (grid.at(row, column) ?? 0)) return false;
    }
  }
  return true;
}

/** What an array shows that finds no room. */
const NO_ROOM = ERROR['#SPILL!'];

/** A formula that is under way, and what it waits for. */
interface Frame {
  readonly formula: number;
  waits: UnknownCells | undefined;
  /** Areas that it came to without naming them. */
  found: readonly Area[];
  runs: number;
}

/** How often a formula may wait for single cells before others go first, and an array change its own grounds. */
const MAX_WAITS = 32;
const MAX_LOOPS = 8;

/**
 * Runs the formulas that must run, each after those that it asks for. That is found out by running: a formula that asks
 * for what is not known is put aside, what it wants is computed, and it runs again. Those put aside are on a stack of
 * our own, so chains may be of any length; who asks for one on the stack closes a circle.
 */
export class Evaluation {
  readonly faults = new Faults();
  /** Formulas that have come to something, ever. */
  finished = 0;
  readonly #book: Book;
  readonly #staleness: Staleness;
  readonly #host: FormulaHost;
  readonly #budget = new Budget();
  readonly #stack: Frame[] = [];
  /** How often arrays have changed what they are computed from. */
  readonly #loops = new Map<number, number>();
  /** Formulas of the queue before this have been taken up. */
  #next = 0;
  #postponable = 0;
  readonly #postponed = new Set<number>();

  constructor(book: Book, staleness: Staleness, surroundings: Surroundings) {
    this.#book = book;
    this.#staleness = staleness;
    this.#host = new FormulaHost(book, surroundings, this.#budget);
  }

  /**
   * Computes all that is not known.
   * @throws OutOfTime when it takes longer than `forMs`; what is known by then stays so, and the next call goes on
   * @throws GaveWay when it has had its turn and others wait; what was learned about lookups and circles stays as well
   */
  run(now: number, forMs: number, areOthersWaiting: AreOthersWaiting): void {
    this.#host.now = now;
    this.#budget.start(forMs, areOthersWaiting);
    const { queue } = this.#staleness;
    this.#postponable = queue.length;
    this.#staleness.calculating = true;
    try {
      for (; this.#next < queue.length; this.#next++) this.#runAll(queue[this.#next] as number);
    } catch (thrown) {
      this.#putDown();
      if (thrown instanceof GaveWay) throw thrown;
      this.rest();
      throw thrown;
    }
    this.#putDown();
    this.rest();
  }

  /** What was under way goes on where it was when it runs again. */
  #putDown(): void {
    for (const { formula } of this.#stack.splice(0)) this.#book.formulas.setState(formula, STATE.stale);
    this.#staleness.queue.splice(0, this.#next);
    this.#next = 0;
  }

  /** Ends a calculation, also one that gave way. */
  rest(): void {
    this.#loops.clear();
    this.#postponed.clear();
    this.#staleness.pinned.clear();
    this.#book.indexes.clear();
    this.#staleness.calculating = false;
    this.#staleness.startWave();
  }

  /** Runs a formula and all that it waits for. */
  #runAll(first: number): void {
    if (this.#book.formulas.state(first) !== STATE.stale) return;
    this.#push(first);
    for (let frame = this.#stack.at(-1); frame !== undefined; frame = this.#stack.at(-1)) {
      const wanted = frame.waits?.next() ?? -1;
      if (wanted >= 0) this.#push(wanted);
      else this.#runFrame(frame);
    }
  }

  #push(formula: number): void {
    const { formulas } = this.#book;
    if (formulas.state(formula) === STATE.active) this.#closeCircle(formula);
    else {
      formulas.setState(formula, STATE.active);
      this.#stack.push({ formula, waits: undefined, found: [], runs: 0 });
    }
  }

  /** All that wait for each other in a circle are #CIRC!; what else asks for them gets that as a value. */
  #closeCircle(formula: number): void {
    for (let frame = this.#stack.pop(); frame !== undefined; frame = this.#stack.pop()) {
      this.#finish(frame, ERROR['#CIRC!']);
      if (frame.formula === formula) return;
    }
  }

  #runFrame(frame: Frame): void {
    frame.waits = undefined;
    const outcome = this.#compute(frame.formula);
    frame.found = this.#host.found;
    if (outcome instanceof Unknown) this.#await(frame, outcome.wanted);
    else {
      this.#stack.pop();
      this.#finish(frame, outcome);
    }
  }

  #await(frame: Frame, wanted: number | Area): void {
    if (typeof wanted !== 'number') frame.waits = new UnknownCells(this.#book, wanted);
    else if (++frame.runs > MAX_WAITS && this.#mayPostpone(frame.formula)) this.#postpone();
    else this.#push(wanted);
  }

  /** A formula that asks for very many cells one by one runs once others have: then most of them are known. */
  #mayPostpone(formula: number): boolean {
    return !this.#postponed.has(formula) && this.#stack.length <= this.#postponable;
  }

  #postpone(): void {
    this.#postponable -= this.#stack.length;
    this.#postponed.add(this.#stack.at(-1)?.formula ?? -1);
    for (const { formula } of this.#stack.splice(0)) {
      this.#book.formulas.setState(formula, STATE.stale);
      this.#staleness.queue.push(formula);
    }
  }

  #compute(formula: number): Value | Unknown {
    const host = this.#host;
    host.enter(formula);
    const { cell } = host;
    try {
      const scope = { host, sheet: cell.sheet, row: cell.row, column: cell.column, locals: [], depth: 0 };
      return gridValue(this.#book.formulas.program(formula).code(scope), host);
    } catch (thrown) {
      if (thrown instanceof Unknown) return thrown;
      if (thrown instanceof OutOfTime) throw thrown;
      if (isBomb(thrown)) return ERROR['#NUM!'];
      this.faults.note(thrown);
      return ERROR['#VALUE!'];
    }
  }

  #finish({ formula, found }: Frame, value: Value): void {
    this.finished++;
    this.#book.found.delete(formula);
    this.#staleness.settle(formula, STATE.clean);
    if (found.length > 0) this.#found(formula, found);
    if (isGrid(value) && isSpilled(formula, value, this.#book)) return;
    const before = this.#staleness.unspill(formula);
    if (isGrid(value)) this.#spill(formula, value);
    else this.#put(formula, value as Scalar);
    this.#changed(before);
    this.#changed(this.#book.spills.get(formula));
    if (this.#book.formulas.state(formula) === STATE.stale) this.#countLoop(formula);
  }

  #spill(formula: number, grid: Grid): void {
    const spilled = spill(formula, grid, this.#book, this.#staleness);
    if ('area' in spilled) return;
    this.#found(formula, spilled.blockedIn);
    this.#put(formula, NO_ROOM);
  }

  /** What depends on an area has to run, even if it has already. */
  #changed(area: Area | undefined): void {
    if (area === undefined) return;
    this.#staleness.startWave();
    this.#staleness.areaChanged(area);
  }

  /** An array that changes what it is computed from may come to rest, or not. */
  #countLoop(formula: number): void {
    const loops = (this.#loops.get(formula) ?? 0) + 1;
    this.#loops.set(formula, loops);
    if (loops > MAX_LOOPS) this.#pin(formula);
  }

  #pin(formula: number): void {
    this.#staleness.pinned.add(formula);
    this.#staleness.settle(formula, STATE.clean);
    const area = this.#staleness.unspill(formula);
    this.#put(formula, ERROR['#CIRC!']);
    this.#changed(area);
  }

  #put(formula: number, value: Scalar): void {
    const { sheet, row, column } = this.#book.cellOf(formula);
    const cells = this.#book.sheet(sheet).ensure(column);
    cells.put(cells.find(row), this.#bounded(value) ?? 0);
  }

  /** Texts that formulas make may not fill the memory. */
  #bounded(value: Scalar): Scalar {
    const long = typeof value === 'string' && value.length > LONG_TEXT;
    return long && this.#book.texts.characters > MAX_CHARACTERS ? ERROR['#NUM!'] : value;
  }

  /** Keeps what the formula depends on without naming it. */
  #found(formula: number, areas: readonly Area[]): void {
    const known = this.#book.found.get(formula) ?? [];
    this.#book.found.set(formula, [...known, ...areas]);
    this.#staleness.dependents.add([{ formula, areas }]);
  }
}

const LONG_TEXT = 256;
const MAX_CHARACTERS = 256 * 1024 * 1024;
