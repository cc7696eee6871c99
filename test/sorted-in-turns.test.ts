import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sortInTurns } from '../src/turns/in-turns.ts';
import { turnsDuring } from './turns.ts';

const byFirst = ([a]: [number, number], [b]: [number, number]) => a - b;

test('items are sorted in turns as they are at once, equal ones in their former order', async () => {
  const sizes = fc.constantFrom(0, 1, 4_095, 4_096, 4_097, 12_000, 20_500);
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 9_999 }), async (size, factor) => {
      const items = Array.from({ length: size }, (_, i): [number, number] => [(i * factor) % 1_009, i]);
      assert.deepEqual(await sortInTurns(items, byFirst), items.toSorted(byFirst));
    }),
    { numRuns: 20 },
  );
});

test('others have their turn while many items are sorted', async () => {
  const items = Array.from({ length: 300_000 }, (_, i): [number, number] => [(i * 7_919) % 100_003, i]);
  assert.ok((await turnsDuring(sortInTurns(items, byFirst))) > 3);
});
