/** Runs of rows, held against lists of single rows. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { withRowsInserted, withRowsRemoved } from '../../src/areas/spreadsheets/cells/hidden-rows.ts';
import { isIn } from '../../src/formulas/cells/sheet.ts';

const LAST = 40;

/** Ascending runs that do not touch. */
const runs = fc
  .uniqueArray(fc.nat(LAST), { maxLength: LAST })
  .map((rows) => runsOf([...rows].sort((a, b) => a - b)));
const change = fc.record({
  kind: fc.constantFrom('insert', 'remove'),
  at: fc.nat(LAST + 5),
  count: fc.integer({ min: 1, max: LAST }),
});

function runsOf(rows: readonly number[]): Uint32Array {
  const found: number[] = [];
  for (const [at, row] of rows.entries()) {
    if (rows[at - 1] === row - 1) found[found.length - 1] = (found.at(-1) ?? 0) + 1;
    else found.push(row, 1);
  }
  return Uint32Array.from(found);
}

function rowsOf(of: Uint32Array): number[] {
  const rows: number[] = [];
  for (let at = 0; at < of.length; at += 2) {
    for (let row = of[at] ?? 0, end = row + (of[at + 1] ?? 0); row < end; row++) rows.push(row);
  }
  return rows;
}

describe('runs of rows', () => {
  test('move as each of their rows does, and touch nowhere', () => {
    fc.assert(
      fc.property(runs, change, (before, { kind, at, count }) => {
        const moved = kind === 'insert' ? withRowsInserted : withRowsRemoved;
        const expected = rowsOf(before).flatMap((row) => {
          if (row < at) return [row];
          if (kind === 'insert') return [row + count];
          return row < at + count ? [] : [row - count];
        });
        assert.deepEqual(moved(before, at, count), runsOf(expected));
      }),
    );
  });

  test('end with the sheet', () => {
    const last = 1_048_575;
    assert.deepEqual([...withRowsInserted(Uint32Array.from([last - 1, 2]), 3, 1)], [last, 1]);
    assert.deepEqual([...withRowsInserted(Uint32Array.from([last - 1, 2]), 3, 2)], []);
  });

  test('know which rows are in them', () => {
    fc.assert(
      fc.property(runs, (some) => {
        const rows = new Set(rowsOf(some));
        for (let row = 0; row <= LAST + 1; row++) assert.equal(isIn(some, row), rows.has(row), `${row}`);
      }),
    );
  });
});
