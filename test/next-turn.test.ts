import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBehalfOf, whileBlockingOthers } from '../src/turns/current-user.ts';
import { giveWay, isTurnOver, nextTurn } from '../src/turns/next-turn.ts';
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

test('works that give way where a turn is over share its time', async () => {
  const works = Array.from({ length: WORKS }, async () => {
    for (let piece = 0; piece < 4; piece++) {
      await giveWay();
      const endsAt = performance.now() + TURN_MS / 2;
      while (performance.now() < endsAt);
    }
  });
  const turns = await turnsDuring(Promise.all(works));
  assert.ok(turns >= WORKS, `${turns} turns`);
});

test('a turn that has begun has time', async () => {
  await nextTurn();
  assert.ok(!isTurnOver());
  assert.equal(giveWay(), undefined);
});

test('of many works of one user, those of another wait for one', async () => {
  const order: string[] = [];
  const work = (name: string) =>
    onBehalfOf(name, async () => {
      await nextTurn();
      order.push(name);
      const endsAt = performance.now() + TURN_MS;
      while (performance.now() < endsAt);
    });
  await Promise.all([...Array.from({ length: 10 }, () => work('busy')), work('other')]);
  assert.ok(order.indexOf('other') <= 1, order.join(' '));
});

test('who holds what all may need comes every other time, and keeps nobody out', async () => {
  const order: string[] = [];
  const pieces = async (name: string) => {
    for (let i = 0; i < 4; i++) {
      await nextTurn();
      order.push(name);
      const endsAt = performance.now() + TURN_MS;
      while (performance.now() < endsAt);
    }
  };
  const others = ['a', 'b', 'c'].map((whom) => onBehalfOf(whom, () => pieces(whom)));
  await Promise.all([...others, whileBlockingOthers('writer', () => pieces('w'))]);
  assert.equal(order.slice(0, 7).join(''), 'wawbwcw');
});

test('who has had little time goes before who has had much, however many wait on behalf of each', async () => {
  const order: string[] = [];
  const work = (whom: string, ms: number) =>
    onBehalfOf(whom, async () => {
      await nextTurn();
      order.push(whom);
      const endsAt = performance.now() + ms;
      while (performance.now() < endsAt);
    });
  const [long, short] = [TURN_MS, TURN_MS / 50];
  // One for one, all of them would come before the last of the short ones. A busy machine makes short works longer.
  const half = 10;
  await Promise.all([
    ...Array.from({ length: 20 }, () => work('long', long)),
    ...Array.from({ length: 60 }, () => work('short', short)),
  ]);
  const before = order.slice(0, order.lastIndexOf('short')).filter((whom) => whom === 'long');
  assert.ok(before.length <= half, `${before.length} long works came before the last of the short ones`);
});
