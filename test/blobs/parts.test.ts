import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inParts } from '../../src/blobs/parts.ts';

test('parts are the same bytes, all of the size asked for but the last, which is not empty', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 30 }), async (given, size) => {
      const parts = await Array.fromAsync(inParts(arriving(given), size));
      assert.deepEqual(Buffer.concat(parts), Buffer.concat(given));
      for (const part of parts.slice(0, -1)) assert.equal(part.length, size);
      assert.notEqual(parts.at(-1)?.length, 0);
    }),
  );
});

test('a reader that stops early ends the source', async () => {
  let ended = false;
  async function* source() {
    try {
      for (;;) yield Buffer.alloc(10);
    } finally {
      ended = true;
    }
  }
  for await (const _ of inParts(source(), 4)) break;
  assert.ok(ended);
});

async function* arriving(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
