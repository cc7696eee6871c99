import { KIND, SPILLED } from '../cells/column.ts';
import { gridValue } from '../compile/compile.ts';
import type { Surroundings } from '../compile/compiler.ts';
import { isGrid } from '../grids.ts';
import { type Area, ERROR, type Grid, type Scalar, type Value } from '../values.ts';
import { UnknownCells } from './area-grid.ts';
import type { Book } from './book.ts';
import { type AreOthersWaiting, Budget, GaveWay, OutOfTime, Unknown } from './budget.ts';
import { Faults, FormulaHost, isResourceError } from './formula-host.ts';
import { STATE } from './formulas.ts';
import type { Staleness } from './staleness.ts';

/** The area of an array that fit, or the areas whose changes a blocked array must wait for. */
type Spilled = { readonly area: Area } | { readonly blockedIn: readonly Area[] };

/**
 * Writes an array to the right of and below its cell. Any content blocks it, except an array spilled from a later
 * cell, which must yield: so the result does not depend on the order of calculation.
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

/** Collects the arrays that must yield; false when other content blocks the area. */
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

/** In reading order. */
function isBefore(one: number, other: number, book: Book): boolean {
  const [a, b] = [book.cellOf(one), book.cellOf(other)];
  return a.row < b.row || (a.row === b.row && a.column < b.column);
}

/** An area without its first cell. */
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

/** Whether the array equals what the formula has already spilled. */
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

/** The result of a blocked array. */
const NO_ROOM = ERROR['#SPILL!'];

/** A formula in progress, and the stale cells that it waits for. */
interface Frame {
  readonly formula: number;
  waits: UnknownCells | undefined;
  /** Areas that it read without naming them. */
  found: readonly Area[];
  runs: number;
}

/**
 * How often a formula may wait for single cells before it is postponed, and how often an array may change its own
 * inputs.
 */
const MAX_WAITS = 32;
const MAX_LOOPS = 8;

/**
 * Calculates stale formulas in dependency order. The order is discovered by running: a formula that reads a stale
 * value is interrupted, the value is calculated, and the formula runs again. Interrupted formulas are on an
 * explicit stack, so dependency chains can have any length; a read of a formula on the stack closes a cycle.
 */
export class Evaluation {
  readonly faults = new Faults();
  /** The number of formulas finished so far. */
  finished = 0;
  readonly #book: Book;
  readonly #staleness: Staleness;
  readonly #host: FormulaHost;
  readonly #budget = new Budget();
  readonly #stack: Frame[] = [];
  /** How often each array has changed its own inputs. */
  readonly #loops = new Map<number, number>();
  /** The index of the next formula in the queue. */
  #next = 0;
  #postponable = 0;
  readonly #postponed = new Set<number>();

  constructor(book: Book, staleness: Staleness, surroundings: Surroundings) {
    this.#book = book;
    this.#staleness = staleness;
    this.#host = new FormulaHost(book, surroundings, this.#budget);
  }

  /**
   * Calculates all stale formulas.
   * @throws OutOfTime when it takes longer than `forMs`; calculated values stay, and the next call continues
   * @throws GaveWay when its turn is over and others wait; lookup indexes and cycle counts stay as well
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
      this.#suspend();
      if (thrown instanceof GaveWay) throw thrown;
      this.endCalculation();
      throw thrown;
    }
    this.#suspend();
    this.endCalculation();
  }

  /** Interrupted formulas become stale again and restart with the next run. */
  #suspend(): void {
    for (const { formula } of this.#stack.splice(0)) this.#book.formulas.setState(formula, STATE.stale);
    this.#staleness.queue.splice(0, this.#next);
    this.#next = 0;
  }

  /** Ends a calculation, including one that yielded. */
  endCalculation(): void {
    this.#loops.clear();
    this.#postponed.clear();
    this.#staleness.pinned.clear();
    this.#book.indexes.clear();
    this.#staleness.calculating = false;
    this.#staleness.startWave();
  }

  /** Calculates a formula and all formulas that it waits for. */
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
    if (formulas.state(formula) === STATE.active) this.#closeCycle(formula);
    else {
      formulas.setState(formula, STATE.active);
      this.#stack.push({ formula, waits: undefined, found: [], runs: 0 });
    }
  }

  /** All formulas of the cycle become #CIRC!; others that read them get it as a value. */
  #closeCycle(formula: number): void {
    for (let frame = this.#stack.pop(); frame !== undefined; frame = this.#stack.pop()) {
      this.#finish(frame, ERROR['#CIRC!']);
      if (frame.formula === formula) return;
    }
  }

  #runFrame(frame: Frame): void {
    frame.waits = undefined;
    const result = this.#compute(frame.formula);
    frame.found = this.#host.found;
    if (result instanceof Unknown) this.#await(frame, result.wanted);
    else {
      this.#stack.pop();
      this.#finish(frame, result);
    }
  }

  #await(frame: Frame, wanted: number | Area): void {
    if (typeof wanted !== 'number') frame.waits = new UnknownCells(this.#book, wanted);
    else if (++frame.runs > MAX_WAITS && this.#mayPostpone(frame.formula)) this.#postpone();
    else this.#push(wanted);
  }

  /**
   * A formula that reads very many stale cells one by one is postponed: after the others most of its cells are
   * calculated.
   */
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
      if (isResourceError(thrown)) return ERROR['#NUM!'];
      this.faults.note(thrown);
      return ERROR['#VALUE!'];
    }
  }

  #finish({ formula, found }: Frame, value: Value): void {
    this.finished++;
    this.#book.dynamicAreas.delete(formula);
    this.#staleness.settle(formula, STATE.clean);
    if (found.length > 0) this.#addDynamicAreas(formula, found);
    if (isGrid(value) && isSpilled(formula, value, this.#book)) return;
    const before = this.#staleness.unspill(formula);
    if (isGrid(value)) this.#spill(formula, value);
    else this.#put(formula, value as Scalar);
    this.#markDependents(before);
    this.#markDependents(this.#book.spills.get(formula));
    if (this.#book.formulas.state(formula) === STATE.stale) this.#countLoop(formula);
  }

  #spill(formula: number, grid: Grid): void {
    const spilled = spill(formula, grid, this.#book, this.#staleness);
    if ('area' in spilled) return;
    this.#addDynamicAreas(formula, spilled.blockedIn);
    this.#put(formula, NO_ROOM);
  }

  /** Marks the dependents of an area as stale, even if they have already run. */
  #markDependents(area: Area | undefined): void {
    if (area === undefined) return;
    this.#staleness.startWave();
    this.#staleness.areaChanged(area);
  }

  /** An array that changes its own inputs may converge or not. */
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
    this.#markDependents(area);
  }

  #put(formula: number, value: Scalar): void {
    const { sheet, row, column } = this.#book.cellOf(formula);
    const cells = this.#book.sheet(sheet).ensure(column);
    cells.put(cells.find(row), this.#limitText(value) ?? 0);
  }

  /** Limits the memory of generated texts. */
  #limitText(value: Scalar): Scalar {
    const long = typeof value === 'string' && value.length > LONG_TEXT;
    return long && this.#book.texts.characters > MAX_CHARACTERS ? ERROR['#NUM!'] : value;
  }

  /** Records areas that the formula depends on without naming them. */
  #addDynamicAreas(formula: number, areas: readonly Area[]): void {
    const known = this.#book.dynamicAreas.get(formula) ?? [];
    this.#book.dynamicAreas.set(formula, [...known, ...areas]);
    this.#staleness.dependents.add([{ formula, areas }]);
  }
}

const LONG_TEXT = 256;
const MAX_CHARACTERS = 256 * 1024 * 1024;
