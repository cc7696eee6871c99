import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linesOf } from '../../src/formulas/compile/grouped-records.ts';
import { viewOf } from '../../src/formulas/functions/aggregates.ts';
import { findFunction } from '../../src/formulas/functions/registry.ts';
import { makeGrid } from '../../src/formulas/grids.ts';
import { lift } from '../../src/formulas/lift.ts';
import { ascending } from '../../src/formulas/numerics/quantiles.ts';
import type { Grid, Scalar } from '../../src/formulas/values.ts';
import { Budget, OutOfTime } from '../../src/formulas/workbook/budget.ts';

const SHAPE = { rows: 300, columns: 100 };
const one = (row: number, column: number): Scalar => row * SHAPE.columns + column;
const uncounted = () => undefined;

/** A column below its label. */
function table(rows: number, value: (row: number) => Scalar): Grid {
  return makeGrid({ rows, columns: 1 }, (row) => (row === 0 ? 'label' : value(row)), uncounted);
}

/** How often a work on 30,000 values looks at the clock. */
function looksDuring(work: (spend: (steps: number) => void) => unknown): number {
  let looks = 0;
  work((steps) => {
    if (steps === 0) looks++;
  });
  return looks;
}

describe('the clock is looked at', () => {
  const works: Record<string, (spend: (steps: number) => void) => unknown> = {
    'while an array is made': (spend) => makeGrid(SHAPE, one, spend),
    'while an array is walked': (spend) => {
      let isMade = false;
      const grid = makeGrid(SHAPE, one, (steps) => isMade && spend(steps));
      isMade = true;
      grid.each(() => undefined);
    },
    'while something is computed for each value': (spend) =>
      lift([makeGrid(SHAPE, one, uncounted)], ([value = null]) => value, spend),
    'while what was computed is walked': (spend) => {
      let isMade = false;
      const lifted = lift(
        [makeGrid(SHAPE, one, uncounted)],
        ([value = null]) => value,
        (steps) => isMade && spend(steps),
      );
      isMade = true;
      (lifted as Grid).each(() => undefined);
    },
    'while another view of an array is walked': (spend) => viewOf(SHAPE, one, spend).each(() => undefined),
  };
  for (const [when, work] of Object.entries(works)) {
    it(`the clock is looked at ${when}`, () => assert.ok(looksDuring(work) >= 10));
  }

  const NUMBERS = makeGrid(SHAPE, one, uncounted);
  const calls: readonly (readonly [name: string, ...given: unknown[]])[] = [
    ...['MODE.SNGL', 'MODE.MULT', 'MEDIAN', 'STDEV.S', 'VAR.P', 'DEVSQ', 'AVEDEV', 'SKEW', 'KURT'].map(
      (name) => [name, NUMBERS] as const,
    ),
    ...['GEOMEAN', 'HARMEAN'].map((name) => [name, makeGrid(SHAPE, () => 2, uncounted)] as const),
    ...['TRIMMEAN', 'PERCENTILE.EXC', 'PERCENTRANK.INC'].map((name) => [name, NUMBERS, 0.5] as const),
    ...['LARGE', 'SMALL', 'QUARTILE.INC'].map((name) => [name, NUMBERS, 3] as const),
    ['RANK.EQ', 5, NUMBERS],
    ['FREQUENCY', NUMBERS, NUMBERS],
    ['T.TEST', NUMBERS, makeGrid(SHAPE, (row) => row, uncounted), 2, 1],
    ['F.TEST', NUMBERS, NUMBERS],
    ...['CORREL', 'RSQ', 'COVARIANCE.P', 'SLOPE', 'INTERCEPT', 'STEYX'].map(
      (name) => [name, NUMBERS, NUMBERS] as const,
    ),
    ['DVAR', table(30_000, (row) => row), 1, table(2, () => '>-1')],
  ];
  for (const [name, ...given] of calls) {
    it(`the clock is looked at while ${name} is computed`, () => {
      const call = findFunction(name)?.call as (given: readonly unknown[], context: unknown) => unknown;
      const looks = looksDuring((spend) => call(given, { spend }));
      assert.ok(looks >= 7, `${looks} looks`);
    });
  }

  it('while records are grouped', () => {
    const records = Array.from({ length: 30_000 }, (_, record) => record);
    const looks = looksDuring((spend) =>
      linesOf(records, {
        keys: (record) => [record],
        fields: 1,
        totals: 0,
        order: [],
        totalOf: () => null,
        spend,
      }),
    );
    assert.ok(looks >= 10, `${looks} looks`);
  });

  it('and numbers are sorted as at once', () => {
    const sizes = [0, 1, 2, 4_096, 4_097, 8_192, 100_000];
    for (const size of sizes) {
      const numbers = Array.from({ length: size }, (_, i) => ((i * 7_919) % 10_007) - 5_000);
      assert.deepEqual(ascending(numbers, uncounted), Float64Array.from(numbers).sort());
    }
  });

  it('by work that counts no steps, which ends when its time is over', () => {
    const budget = new Budget();
    budget.start(-1, () => false);
    budget.spend(1);
    assert.throws(() => budget.spend(0), OutOfTime);
  });

  it('and a formula is not charged for the time in which others have the processor', () => {
    const budget = new Budget();
    budget.start(60_000, () => false);
    budget.startFormula();
    budget.spend(0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_100);
    budget.spend(0);
  });
});
