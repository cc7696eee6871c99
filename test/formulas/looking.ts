import { Column } from '../../src/formulas/cells/column.ts';
import { makeGrid } from '../../src/formulas/grids.ts';
import { lift } from '../../src/formulas/lift.ts';
import { sum } from '../../src/formulas/numerics/sums.ts';
import type { Grid } from '../../src/formulas/values.ts';
import { Workbook } from '../../src/formulas/workbook/workbook.ts';

/** What a formula did from one look at the clock to the next. */
export interface Stretches {
  /** How many values it read from cells and arrays in the longest of them. */
  readonly values: number;
  /** How long each took, in milliseconds. As looks are counted out, it is the same work in every run. */
  readonly ms: readonly number[];
}

/** Where formulas stand that are looked at: beside all columns of values. */
const PLACE = { row: 0, column: 60 };
const ROOMY_MS = 60_000;
const unspent = () => undefined;

const nowMs = performance.now.bind(performance);

/** How long it takes to add up so many numbers, of several tries the shortest. */
export function passMs(count: number): number {
  const numbers = Array.from({ length: count }, (_, at) => at + 0.5);
  const tries = Array.from({ length: 100 }, () => {
    const started = nowMs();
    sum(numbers, unspent);
    return nowMs() - started;
  });
  return Math.min(...tries);
}

/** Notes what is done between two looks at the clock by formulas of a workbook. */
export class LookingWorkbook {
  readonly #workbook = new Workbook([{ name: 'Sheet1' }]);
  readonly #restores: (() => void)[] = [];
  #values = 0;
  #lookedMs = 0;
  #mostValues = 0;
  #ms: number[] = [];

  constructor(columns: readonly ((row: number) => number | string | boolean)[], rows: number) {
    const cells = Array.from({ length: rows }, (_, row) =>
      columns.map((input, column) => ({ row, column, input: input(row) })),
    );
    this.#workbook.change({ sheet: 0, cells: cells.flat() });
    this.#watch();
  }

  /** Ends what it watches. */
  close(): void {
    for (const restore of this.#restores) restore();
  }

  /** The stretches in the computation of a formula. */
  stretchesOf(formula: string): Stretches {
    this.#workbook.change({ sheet: 0, cells: [{ ...PLACE, input: formula }] });
    this.#values = 0;
    this.#mostValues = 0;
    this.#ms = [];
    this.#lookedMs = nowMs();
    this.#workbook.calculate(ROOMY_MS);
    this.#look();
    return { values: this.#mostValues, ms: this.#ms };
  }

  #look(): void {
    this.#ms.push(nowMs() - this.#lookedMs);
    this.#mostValues = Math.max(this.#mostValues, this.#values);
    this.#values = 0;
    // What it takes to look is no work of the formula.
    this.#lookedMs = nowMs();
  }

  #watch(): void {
    this.#before(performance, 'now', () => this.#look());
    const count = () => {
      this.#values++;
    };
    const flat = makeGrid({ rows: 2, columns: 1 }, () => 1, unspent);
    const lifted = lift([flat], () => 1, unspent) as Grid;
    this.#before(Column.prototype, 'value', count);
    for (const grid of [flat, lifted]) this.#before(Object.getPrototypeOf(grid) as Grid, 'at', count);
  }

  /** Does something before every call of a method. A mock would remember the calls, of which there are millions. */
  #before<Name extends string>(
    owner: { [Key in Name]: (...given: never[]) => unknown },
    name: Name,
    act: () => void,
  ): void {
    const known = Object.getOwnPropertyDescriptor(owner, name);
    const plain = owner[name];
    Object.defineProperty(owner, name, {
      configurable: true,
      value(this: unknown, ...given: never[]) {
        act();
        return plain.apply(this, given);
      },
    });
    this.#restores.push(() => {
      if (known === undefined) Reflect.deleteProperty(owner, name);
      else Object.defineProperty(owner, name, known);
    });
  }
}
