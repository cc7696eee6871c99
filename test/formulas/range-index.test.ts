import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RangeIndex } from '../../src/formulas/graph/range-index.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../../src/formulas/limits.ts';

function span(end: number): fc.Arbitrary<readonly [number, number]> {
  const place = fc.oneof(fc.nat(40), fc.nat(end), fc.constant(end));
  return fc.tuple(place, place).map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
}
const area = fc
  .tuple(span(MAX_ROWS - 1), span(MAX_COLUMNS - 1))
  .map(([[top, bottom], [left, right]]) => ({ sheet: 0, top, left, bottom, right }));

describe('the index of ranges', () => {
  it('finds all formulas whose ranges meet rows of a column, and no others', () => {
    fc.assert(
      fc.property(
        fc.array(area),
        fc.tuple(fc.nat(300), fc.nat(MAX_ROWS - 1)),
        fc.nat(50),
        (areas, from, column) => {
          const index = new RangeIndex();
          for (const [formula, one] of areas.entries()) index.add(one, formula);
          for (const [wave, top] of from.entries()) {
            const bottom = Math.min(top + (from[0] ?? 0), MAX_ROWS - 1);
            const found = new Set<number>();
            index.eachBetween(top, bottom, column, wave, (formula) => found.add(formula));
            const meets = (one: (typeof areas)[number]) =>
              one.top <= bottom && one.bottom >= top && one.left <= column && one.right >= column;
            assert.deepEqual(
              [...found].sort((a, b) => a - b),
              areas.flatMap((one, formula) => (meets(one) ? [formula] : [])),
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
