import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JoinedPieces } from '../../src/server/http/body.ts';

/** The pieces that come of pieces of these sizes, whose bytes count up; 0 hands on what waits. */
function joined(sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  const joining = new JoinedPieces((piece) => pieces.push(Uint8Array.from(piece)));
  let next = 0;
  for (const size of sizes) {
    if (size === 0) joining.flush();
    else joining.add(Uint8Array.from({ length: size }, () => next++));
  }
  joining.flush();
  return pieces;
}

test('JoinedPieces hands on every byte in order', () => {
  const sizes = fc.array(fc.oneof(fc.nat(5), fc.integer({ min: 1_000, max: 1_050 }), fc.nat(5_000)), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(sizes, (given) => {
      const total = given.reduce((sum, size) => sum + size, 0);
      const bytes = Buffer.concat(joined(given));
      assert.equal(bytes.length, total);
      assert.ok(bytes.every((byte, at) => byte === at % 256));
    }),
  );
});

test('JoinedPieces makes few pieces of a million bytes that come one by one', () => {
  assert.ok(joined(Array(1_000_000).fill(1)).length < 30);
});

test('JoinedPieces hands on large pieces as they come', () => {
  assert.deepEqual(
    joined([5_000, 1, 2, 70_000]).map((piece) => piece.length),
    [5_000, 3, 70_000],
  );
});
