import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cache } from '../../src/platform/cache.ts';
import { liveBytes } from '../live-bytes.ts';

const ENTRIES = 1_000;
const ROUNDS = 200;

test('what is only asked for, or kept anew, takes no more memory', () => {
  const cache = new Cache<string>({ room: 1_000_000 });
  const eachRound = (use: (key: string) => void) => {
    for (let round = 0; round < ROUNDS; round++)
      for (let number = 0; number < ENTRIES; number++) use(`key ${number}`);
  };
  for (let number = 0; number < ENTRIES; number++) cache.set(`key ${number}`, 'value', 5);
  const before = liveBytes();
  eachRound((key) => assert.equal(cache.get(key), 'value'));
  eachRound((key) => cache.set(key, 'value', 5));
  const grown = liveBytes() - before;
  assert.ok(grown < 1_000_000, `${grown} bytes more`);
});

test('where there is no room, the one longest not asked for goes first', () => {
  const cache = new Cache<string>({ room: 1_110 });
  for (let number = 0; number < 20; number++) {
    cache.set(`${number}`, `value ${number}`, 0);
    cache.get('0');
  }
  const kept = Array.from({ length: 20 }, (_, number) => number).filter((n) => cache.get(`${n}`));
  assert.deepEqual(kept, [0, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
});

test('what is too large is not kept, and takes the room of no other', () => {
  const cache = new Cache<string>({ room: 10_000, largest: 1_000 });
  cache.set('small', 'a', 1);
  cache.set('large', 'b', 1_000);
  assert.deepEqual([cache.get('small'), cache.get('large')], ['a', undefined]);
});

test('nothing is left once it was cleared', () => {
  const cache = new Cache<string>({ room: 10_000 });
  cache.set('key', 'a', 1);
  cache.clear();
  assert.equal(cache.get('key'), undefined);
});
