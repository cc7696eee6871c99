import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { viewOf } from '../../src/formulas/functions/view.ts';
import { makeGrid } from '../../src/formulas/grids.ts';
import { lift } from '../../src/formulas/lifting.ts';
import type { Grid, Scalar } from '../../src/formulas/values.ts';
import { Budget } from '../../src/formulas/workbook/budget.ts';
import { OutOfTime } from '../../src/formulas/workbook/interruptions.ts';

const SHAPE = { rows: 300, columns: 100 };
const one = (row: number, column: number): Scalar => row * SHAPE.columns + column;
const uncounted = () => undefined;

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
    it(when, () => assert.ok(looksDuring(work) >= 10));
  }

  it('by work that counts no steps, which ends when its time is over', () => {
    const budget = new Budget();
    budget.start(-1, () => false);
    budget.spend(1);
    assert.throws(() => budget.spend(0), OutOfTime);
  });
});
