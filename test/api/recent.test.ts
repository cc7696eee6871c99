import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recent } from '../../src/platform/recent.ts';
import { liveBytes } from '../live-bytes.ts';

const ENTRIES = 1_000;
const ROUNDS = 200;
const room = { mostRoom: 1_000_000, largest: 1_000 };

function rounds(use: (key: string) => void): void {
  for (let round = 0; round < ROUNDS; round++) {
    for (let number = 0; number < ENTRIES; number++) use(`key ${number}`);
  }
}

test('what is only asked for, or kept anew, takes no more memory', () => {
  const recent = new Recent<string>(room);
  for (let number = 0; number < ENTRIES; number++) recent.set(`key ${number}`, 'value', 5);
  const before = liveBytes();
  rounds((key) => assert.equal(recent.get(key), 'value'));
  rounds((key) => recent.set(key, 'value', 5));
  const grown = liveBytes() - before;
  assert.ok(grown < 1_000_000, `${grown} bytes more`);
  assert.equal(recent.get('key 0'), 'value');
});

test('the one longest not asked for goes first, whatever was asked for and forgotten before', () => {
  const recent = new Recent<number>({ mostRoom: 1_100, largest: 1_000 });
  for (let number = 0; number < 20; number++) {
    recent.set(`${number}`, number, 0);
    recent.get('0');
    if (number === 5) recent.forgetUnused();
  }
  const kept = Array.from({ length: 20 }, (_, number) => number).filter((n) => recent.get(`${n}`) === n);
  assert.deepEqual(kept, [0, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
});
