import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTurn } from '../src/turns/next-turn.ts';
import { turnsDuring } from './turns.ts';

const WORKS = 20;
const TURN_MS = 10;

test('long works that each give way in time do not share one turn of the event loop', async () => {
  const order: number[] = [];
  const works = Array.from({ length: WORKS }, async (_, i) => {
    await nextTurn();
    order.push(i);
    const endsAt = performance.now() + TURN_MS;
    while (performance.now() < endsAt);
  });
  assert.ok((await turnsDuring(Promise.all(works))) >= WORKS);
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
});

test('works that ask again and again take turns', async () => {
  const order: string[] = [];
  const work = async (name: string) => {
    for (let i = 0; i < 5; i++) {
      await nextTurn();
      order.push(name);
      const endsAt = performance.now() + TURN_MS;
      while (performance.now() < endsAt);
    }
  };
  await Promise.all(['a', 'b', 'c'].map(work));
  assert.equal(order.join(''), 'abcabcabcabcabc');
});

test('short works share a turn', async () => {
  const works = Array.from({ length: 1_000 }, () => nextTurn());
  assert.ok((await turnsDuring(Promise.all(works))) < 500);
});
