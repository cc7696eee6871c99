import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Heap, ShortTurns } from '../src/turns/short-turns.ts';
import { Usage } from '../src/turns/usage.ts';

test('a heap answers in order what is put in, whenever that is', () => {
  const steps = fc.array(fc.option(fc.integer({ min: 0, max: 50 })), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (numbers) => {
      const heap = new Heap<number>((a, b) => a < b);
      let expected: number[] = [];
      for (const number of numbers) {
        if (number === null) {
          assert.equal(heap.take(), expected[0]);
          expected = expected.slice(1);
        } else {
          heap.put(number);
          expected = [...expected, number].sort((a, b) => a - b);
        }
      }
      for (const number of expected) assert.equal(heap.take(), number);
      assert.equal(heap.take(), undefined);
    }),
  );
});

/** Takes everything; each item takes as many milliseconds as `cost` says. */
function takeAll(turns: ShortTurns<string>, usage: Usage, cost: (whom: string) => number): string[] {
  const taken: string[] = [];
  for (let item = turns.take(); item !== undefined; item = turns.take()) {
    const whom = item.slice(0, 1);
    usage.add(whom, cost(whom));
    taken.push(item);
  }
  return taken;
}

test('who has used the least is next, and of one the oldest', (t) => {
  t.mock.method(performance, 'now', () => 0);
  const usage = new Usage();
  const turns = new ShortTurns<string>(usage);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'b3']) turns.add(item.slice(0, 1), item);
  assert.equal(turns.size, 7);
  const costs: Record<string, number> = { a: 100, b: 10, c: 1 };
  const taken = takeAll(turns, usage, (whom) => costs[whom] ?? 0);
  assert.deepEqual(taken, ['a1', 'b1', 'c1', 'b2', 'b3', 'a2', 'a3']);
  assert.equal(turns.size, 0);
});

test('those who have used as much take turns', (t) => {
  t.mock.method(performance, 'now', () => 0);
  const usage = new Usage();
  const turns = new ShortTurns<string>(usage);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']) turns.add(item.slice(0, 1), item);
  assert.deepEqual(
    takeAll(turns, usage, () => 0),
    ['a1', 'b1', 'a2', 'b2', 'a3', 'b3'],
  );
});

test('ranks are ordered as what is used is, and what is long ago counts less in both', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const usage = new Usage(1_000);
  usage.add('long ago', 100);
  now = 5_000;
  usage.add('of late', 10);
  assert.ok(usage.of('long ago') < usage.of('of late'));
  assert.ok(usage.rankOf('long ago') < usage.rankOf('of late'));
  assert.ok(usage.rankOf('nobody') < usage.rankOf('long ago'));
});
