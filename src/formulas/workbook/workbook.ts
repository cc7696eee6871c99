import type {
  ColumnSpan,
  DefinedName,
  Extent,
  FunctionFault,
  SheetCells,
  SheetHead,
  ShownValue,
  Window,
} from '../calculation.ts';
import { Dependents } from '../graph/dependents.ts';
import { CellError, type Scalar } from '../values.ts';
import { Book } from './book.ts';
import { type AreOthersWaiting, GaveWay } from './budget.ts';
import { CellEditor, Names } from './cell-editor.ts';
import { Evaluation } from './evaluation.ts';
import { Staleness } from './staleness.ts';

/** Least time between recalculations of volatile functions. */
const VOLATILE_MS = 1_000;

const WHOLE = { top: 0, left: 0, bottom: Number.MAX_SAFE_INTEGER, right: Number.MAX_SAFE_INTEGER };

/** A self-calculating workbook: takes inputs, returns values. */
export class Workbook {
  readonly #book: Book;
  readonly #staleness: Staleness;
  readonly #editor: CellEditor;
  readonly #evaluation: Evaluation;
  #calculatedMs = 0;
  /** The time of a calculation that yielded to others. */
  #pausedMs: number | undefined;

  constructor(sheets: readonly SheetHead[], names: readonly DefinedName[] = []) {
    this.#book = new Book(sheets);
    const surroundings = new Names(this.#book.sheetNames, names);
    this.#staleness = new Staleness(this.#book, new Dependents(this.#book.sheets));
    this.#editor = new CellEditor(this.#book, surroundings, this.#staleness);
    this.#evaluation = new Evaluation(this.#book, this.#staleness, surroundings);
  }

  /** Applies inputs; their dependents are calculated at the next `calculate`. */
  change(change: SheetCells): void {
    if (this.#pausedMs !== undefined) this.#evaluation.endCalculation();
    this.#pausedMs = undefined;
    this.#editor.apply(change);
  }

  /**
   * Calculates stale formulas and volatile functions.
   * @throws OutOfTime when it takes longer than `forMs` milliseconds; the next call continues
   * @throws GaveWay when its turn is over and others wait; the next call continues at the same point in time
   */
  calculate(
    forMs: number,
    nowMs: number = Date.now(),
    areOthersWaiting: AreOthersWaiting = () => false,
  ): void {
    const momentMs = this.#pausedMs ?? nowMs;
    if (this.#pausedMs === undefined) this.#markVolatiles(momentMs);
    this.#pausedMs = undefined;
    try {
      this.#evaluation.run(serialOf(momentMs), forMs, areOthersWaiting);
    } catch (thrown) {
      if (thrown instanceof GaveWay) this.#pausedMs = momentMs;
      throw thrown;
    }
    this.#calculatedMs = momentMs;
  }

  #markVolatiles(nowMs: number): void {
    const pending = this.#staleness.queue.length > 0;
    if (!pending && nowMs - this.#calculatedMs < VOLATILE_MS) return;
    for (const formula of this.#book.volatiles) this.#staleness.formulaChanged(formula);
  }

  /** The last calculated value of a cell. */
  value(sheet: number, row: number, column: number): Scalar {
    return this.#book.sheet(sheet).value(row, column);
  }

  /** The used rows of a window, without trailing empty cells. */
  *rows(window: Window): Generator<ShownValue[]> {
    const sheet = this.#book.sheet(window.sheet);
    const used = sheet.used(window);
    for (let row = window.top; row < window.top + used.rows; row++) {
      const shown: ShownValue[] = [];
      for (const [at, cells] of sheet.columns(window.left, window.right)) {
        const slot = cells.find(row);
        const value = slot < 0 ? null : cells.value(slot);
        if (value === null || value === '') continue;
        while (shown.length < at - window.left) shown.push('');
        shown.push(value instanceof CellError ? value.code : value);
      }
      yield shown;
    }
  }

  /** The number of rows and columns that are used or spilled into, of a sheet or of some columns of it. */
  extent(sheet: number, { left, right }: ColumnSpan = WHOLE): Extent {
    return this.#book.sheet(sheet).used({ ...WHOLE, left, right, sheet });
  }

  /** Returns and clears the function faults. */
  takeFaults(): FunctionFault[] {
    return this.#evaluation.faults.take();
  }

  /** The number of formulas finished so far. */
  get finished(): number {
    return this.#evaluation.finished;
  }

  /** The number of formulas in the queue; for tests and measurements. */
  get pending(): number {
    return this.#staleness.queue.length;
  }

  /** The estimated memory in bytes. */
  get bytes(): number {
    return this.#book.bytes + this.#staleness.dependents.bytes;
  }
}

/** A time as a serial number of the 1900 system, in UTC. */
function serialOf(ms: number): number {
  return ms / 86_400_000 + 25_569;
}
