import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FORM_NAMES } from '../../src/formulas/compile/calls.ts';
import { LookingWorkbook, passMs } from './looking.ts';
import { COLUMNS, generalFormulas, PARTICULAR_FORMULAS, ROWS } from './looking-formulas.ts';

/** A walk through two ranges side by side, with conditions, reads some values for each at which it may look. */
const MOST_VALUES = 12_000;
/** So often all rows could be added up: a few milliseconds, of a million rows a turn of a calculation. */
const MOST_PASSES = 100;
/** What exceeds the time is tried again: others computed meanwhile, or garbage was collected, but not in the same stretch. */
const TRIES = 40;

function longest(ms: readonly number[]): number {
  return ms.reduce((most, one) => Math.max(most, one), 0);
}

describe('no formula computes for long without a look at the clock', () => {
  const mostMs = MOST_PASSES * passMs(ROWS);
  const workbook = new LookingWorkbook(COLUMNS, ROWS);
  after(() => workbook.close());

  /** How many values are read, and how long it takes, in the longest stretch. */
  function longestOf(formula: string): { values: number; ms: number } {
    const first = workbook.stretchesOf(formula);
    if (first.values > MOST_VALUES || longest(first.ms) <= mostMs)
      return { values: first.values, ms: longest(first.ms) };
    // What ran before a formula shifts its looks: from here on that is the formula itself.
    let { ms } = workbook.stretchesOf(formula);
    for (let at = 1; at < TRIES && longest(ms) > mostMs; at++) {
      const again = workbook.stretchesOf(formula).ms;
      ms = ms.map((one, stretch) => Math.min(one, again[stretch] ?? one));
    }
    return { values: first.values, ms: longest(ms) };
  }

  function tooLong(formulas: readonly string[]): string[] {
    return formulas.flatMap((formula) => {
      const { values, ms } = longestOf(formula);
      if (values <= MOST_VALUES && ms <= mostMs) return [];
      return [`${formula.slice(0, 100)}: ${values} values, ${Math.round((ms / mostMs) * 100)} % of the time`];
    });
  }

  it('whatever function it calls with ranges and arrays', () =>
    assert.deepEqual(tooLong(generalFormulas()), []));

  it('where its functions do all of their work', () => assert.deepEqual(tooLong(PARTICULAR_FORMULAS), []));

  it('and every form is among them', () => {
    const all = PARTICULAR_FORMULAS.join();
    assert.deepEqual(
      FORM_NAMES.filter((name) => !all.includes(`${name}(`)),
      [],
    );
  });
});
