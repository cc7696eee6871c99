import assert from 'node:assert/strict';
import { afterEach, describe, it, mock } from 'node:test';
import { firstIdAt, newId } from '../src/ids.ts';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const MANY = 5_000;

/** The 128 bits of the UUID in an id. */
function uuidOf(id: string): bigint {
  return [...id.slice(id.indexOf('_') + 1)].reduce(
    (bits, digit) => bits * 32n + BigInt(DIGITS.indexOf(digit)),
    0n,
  );
}

function timeOf(id: string): number {
  return Number(uuidOf(id) >> 80n);
}

function idsAt(now: number, count = MANY): string[] {
  mock.method(Date, 'now', () => now);
  return Array.from({ length: count }, () => newId('msg'));
}

describe('ids', () => {
  afterEach(() => mock.restoreAll());

  it('are a prefix and a UUID of version 7 in base 32', () => {
    const now = Date.now() + 1_000;
    const [id = ''] = idsAt(now, 1);
    assert.match(id, /^msg_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    assert.equal(timeOf(id), now);
    assert.equal((uuidOf(id) >> 76n) & 0xfn, 7n);
    assert.equal((uuidOf(id) >> 62n) & 3n, 2n);
  });

  it('sort by a time before and after that of their creation', () => {
    const now = Date.now() + 1_500;
    const [id = ''] = idsAt(now, 1);
    assert.ok(firstIdAt('msg', now) < id && id < firstIdAt('msg', now + 1));
    assert.ok(firstIdAt('msg', -1) < id);
  });

  it('sort by creation within a millisecond, and none comes twice', () => {
    const ids = idsAt(Date.now() + 2_000);
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, MANY);
  });

  it('go on where the clock goes back', () => {
    const now = Date.now() + 3_000;
    const ids = [...idsAt(now), ...idsAt(now - 60_000), ...idsAt(now + 1)];
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, 3 * MANY);
  });

  it('end in bits that cannot be guessed from the one before', () => {
    const ends = idsAt(Date.now() + 4_000).map((id) => id.slice(-9));
    assert.equal(new Set(ends).size, MANY);
  });
});
