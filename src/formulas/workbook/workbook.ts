import type {
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
import { Editing, Names } from './editing.ts';
import { Evaluation } from './evaluation.ts';
import { Staleness } from './staleness.ts';

/** Volatile functions answer anew at most so often. */
const VOLATILE_MS = 1_000;

const WHOLE = { top: 0, left: 0, bottom: Number.MAX_SAFE_INTEGER, right: Number.MAX_SAFE_INTEGER };

/** A workbook that computes itself: inputs go in, values come out. */
export class Workbook {
  readonly #book: Book;
  readonly #staleness: Staleness;
  readonly #editing: Editing;
  readonly #evaluation: Evaluation;
  #calculatedMs = 0;
  /** The moment of a calculation that gave way to others. */
  #pausedMs: number | undefined;

  constructor(sheets: readonly SheetHead[], names: readonly DefinedName[] = []) {
    this.#book = new Book(sheets);
    const surroundings = new Names(this.#book.sheetNames, names);
    this.#staleness = new Staleness(this.#book, new Dependents(this.#book.sheets));
    this.#editing = new Editing(this.#book, surroundings, this.#staleness);
    this.#evaluation = new Evaluation(this.#book, this.#staleness, surroundings);
  }

  /** Takes inputs in; what depends on them is computed when values are next asked for. */
  change(change: SheetCells): void {
    if (this.#pausedMs !== undefined) this.#evaluation.rest();
    this.#pausedMs = undefined;
    this.#editing.apply(change);
  }

  /**
   * Computes what is not known, and volatile functions anew.
   * @throws OutOfTime when it takes longer than `forMs` milliseconds; the next call goes on where it stopped
   * @throws GaveWay when it has had its turn and others wait; the next call goes on as if there had been no pause
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

  /** The value of a cell as it was last computed. */
  value(sheet: number, row: number, column: number): Scalar {
    return this.#book.sheet(sheet).value(row, column);
  }

  /** The rows of a window that are used, without empty cells at their ends. */
  *rows(window: Window): Generator<ShownValue[]> {
    const sheet = this.#book.sheet(window.sheet);
    const used = sheet.used(window);
    for (let row = window.top; row < window.top + used.rows; row++) {
      const shown: ShownValue[] = [];
      for (const [place, cells] of sheet.columns(window.left, window.right)) {
        const slot = cells.find(row);
        const value = slot < 0 ? null : cells.value(slot);
        if (value === null || value === '') continue;
        while (shown.length < place - window.left) shown.push('');
        shown.push(value instanceof CellError ? value.code : value);
      }
      yield shown;
    }
  }

  /** How many rows and columns of a sheet are used or spilled into. */
  extent(sheet: number): Extent {
    return this.#book.sheet(sheet).used({ ...WHOLE, sheet });
  }

  /** The faults of functions since they were last asked for. */
  takeFaults(): FunctionFault[] {
    return this.#evaluation.faults.take();
  }

  /** How many formulas have come to something, ever. */
  get finished(): number {
    return this.#evaluation.finished;
  }

  /** How many formulas ran or are to run; for tests and measurements. */
  get pending(): number {
    return this.#staleness.queue.length;
  }

  /** Estimated bytes that it takes. */
  get bytes(): number {
    return this.#book.bytes + this.#staleness.dependents.bytes;
  }
}

/** A moment as a serial number of the 1900 system, in UTC. */
function serialOf(ms: number): number {
  return ms / 86_400_000 + 25_569;
}
