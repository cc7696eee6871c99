import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fittingCount, inPortions } from '../../src/storage/query/long-rows.ts';

test('as many rows are read as fit together, and one where none does', () => {
  const sizes = fc.array(fc.record({ size: fc.nat(100) }), { maxLength: 20 });
  fc.assert(
    fc.property(sizes, fc.nat(300), (rows, most) => {
      const count = fittingCount(rows, most);
      const sum = (end: number) => rows.slice(0, end).reduce((all, { size }) => all + size, 0);
      assert.ok(count >= 1);
      if (count > 1) assert.ok(sum(count) <= most);
      if (count < rows.length) assert.ok(sum(count + 1) > most);
    }),
  );
});

test('portions hold at most so many rows and characters, and one row at least', async () => {
  const lengths = [1, 2, 3, 9, 1, 1, 1, 1];
  const portions = await Array.fromAsync(inPortions(lengths, (length) => length, { rows: 3, characters: 5 }));
  assert.deepEqual(portions, [[1, 2], [3], [9], [1, 1, 1], [1]]);
  assert.deepEqual(await Array.fromAsync(inPortions([], () => 1, { rows: 3, characters: 5 })), []);
});
