import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Workbook } from '../../src/formulas/workbook/workbook.ts';
import { NOW_MS } from './worlds.ts';

const CELLS = 12;

/** What a cell adds up: cells by their rows. */
const graph = fc.array(fc.uniqueArray(fc.nat({ max: CELLS - 1 }), { maxLength: 3 }), {
  minLength: CELLS,
  maxLength: CELLS,
});

/** Whether a cell reaches a circle, by walking all ways. */
function reachesCircle(
  edges: readonly (readonly number[])[],
  from: number,
  way: readonly number[] = [],
): boolean {
  if (way.includes(from)) return true;
  return (edges[from] ?? []).some((to) => reachesCircle(edges, to, [...way, from]));
}

describe('circles', () => {
  it('are found where there are some, and only there', () => {
    fc.assert(
      fc.property(graph, (edges) => {
        const workbook = new Workbook([{ name: 'Sheet1' }]);
        const cells = edges.map((to, row) => ({
          row,
          column: 0,
          input: `=1${to.map((one) => `+A${one + 1}`).join('')}`,
        }));
        workbook.change({ sheet: 0, cells });
        workbook.calculate(10_000, NOW_MS);
        for (const row of edges.keys()) {
          const isNumber = typeof workbook.value(0, row, 0) === 'number';
          assert.equal(isNumber, !reachesCircle(edges, row), `A${row + 1} of ${JSON.stringify(edges)}`);
        }
      }),
    );
  });
});
