import assert from 'node:assert/strict';
import { afterEach, describe, it, mock } from 'node:test';
import { firstIdAt, ID_DIGITS, newId } from '../src/platform/ids.ts';

const MANY = 5_000;

/** The 128 bits of the UUID in an id. */
function uuidOf(id: string): bigint {
  return [...id.slice(id.indexOf('_') + 1)].reduce(
    (bits, digit) => bits * 32n + BigInt(ID_DIGITS.indexOf(digit)),
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

  it('ids are a prefix and a UUID of version 7 in base 32 (API-14)', () => {
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

  it('go on where the clock goes back by some seconds', () => {
    const now = Date.now() + 3_000;
    const ids = [...idsAt(now), ...idsAt(now - 9_000), ...idsAt(now + 1)];
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, 3 * MANY);
  });

  it('follow a clock that was put back by more, and none comes twice', () => {
    const now = Date.now() + 4_000;
    const ids = [...idsAt(now), ...idsAt(now - 60_000), ...idsAt(now)];
    assert.equal(timeOf(ids[MANY] ?? ''), now - 60_000);
    assert.equal(new Set(ids).size, 3 * MANY);
  });

  it('tell nobody how many were made since another', () => {
    const counters = Array.from(
      { length: 100 },
      (_, i) => uuidOf(idsAt(Date.now() + 5_000 + i, 1)[0] ?? '') >> 32n,
    );
    const steps = counters
      .slice(1)
      .map((counter, i) => (counter & 0xffffffn) - ((counters[i] ?? 0n) & 0xffffffn));
    assert.ok(new Set(steps).size > 90);
  });

  it('end in bits that cannot be guessed from the one before', () => {
    const ends = idsAt(Date.now() + 6_000).map((id) => id.slice(-6));
    assert.ok(new Set(ends).size > MANY - 10);
  });
});
