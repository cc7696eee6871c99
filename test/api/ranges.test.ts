/** What Range headers select (RFC 9110, 14). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Selection, selectRange } from '../../src/server/http/ranges.ts';

const CASES: [header: string | undefined, size: number, selected: Selection][] = [
  [undefined, 10, 'whole'],
  ['bytes=0-0', 10, { start: 0, end: 1 }],
  ['bytes=2-5', 10, { start: 2, end: 6 }],
  ['bytes=2-', 10, { start: 2, end: 10 }],
  ['bytes=0-99999999999999999999999', 10, { start: 0, end: 10 }],
  ['bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-30', 10, { start: 0, end: 10 }],
  ['Bytes= 1-2 , ,', 10, { start: 1, end: 3 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=99999999999999999999999-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-5', 0, 'unsatisfiable'],
  ['bytes=0-1,20-30', 10, { start: 0, end: 2 }],
  ['bytes=0-1,4-5', 10, 'whole'],
  ['bytes=20-,30-', 10, 'unsatisfiable'],
  ['bytes=5-2', 10, 'whole'],
  ['bytes=0-1,5-2', 10, 'whole'],
  ['bytes=', 10, 'whole'],
  ['bytes=,', 10, 'whole'],
  ['bytes=-', 10, 'whole'],
  ['bytes=a-b', 10, 'whole'],
  ['bytes=1-2-3', 10, 'whole'],
  ['bytes=--1', 10, 'whole'],
  ['bytes 0-1', 10, 'whole'],
  ['lines=0-1', 10, 'whole'],
  ['0-1', 10, 'whole'],
];

for (const [header, size, selected] of CASES) {
  test(`${header} of ${size} bytes selects ${JSON.stringify(selected)}`, () =>
    assert.deepEqual(selectRange(header, size), selected));
}

test('whatever is sent, a part lies inside and is not empty (API-150)', () => {
  const header = fc.oneof(fc.string(), fc.stringMatching(/^bytes=[0-9, -]{0,20}$/));
  fc.assert(
    fc.property(header, fc.nat({ max: 100 }), (sent, size) => {
      const selected = selectRange(sent, size);
      if (typeof selected === 'string') return;
      assert.ok(0 <= selected.start && selected.start < selected.end && selected.end <= size);
    }),
  );
});
