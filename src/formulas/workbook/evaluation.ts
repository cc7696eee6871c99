import type { Surroundings } from '../compile/compiler.ts';
import { gridValue } from '../compile/outcome.ts';
import { isGrid } from '../grids.ts';
import { type Area, ERROR, type Grid, type Scalar, type Value } from '../values.ts';
import type { Book } from './book.ts';
import { type AreOthersWaiting, Budget } from './budget.ts';
import { Faults, isBomb } from './faults.ts';
import { FormulaHost } from './formula-host.ts';
import { STATE } from './formulas.ts';
import { GaveWay, OutOfTime, Unknown } from './interruptions.ts';
import { isSpilled, NO_ROOM, spill } from './spilling.ts';
import type { Staleness } from './staleness.ts';
import { UnknownCells } from './unknown-cells.ts';

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
