import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exactly, inBlocks, inParts } from '../../src/blobs/parts.ts';

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

test('blocks are the same bytes, each valid until the next', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 30 }), async (given, size) => {
      const blocks: Buffer[] = [];
      for await (const block of inBlocks(arriving(given), Buffer.alloc(size)))
        blocks.push(Buffer.from(block));
      assert.deepEqual(Buffer.concat(blocks), Buffer.concat(given));
      for (const block of blocks.slice(0, -1)) assert.equal(block.length, size);
      assert.notEqual(blocks.at(-1)?.length, 0);
    }),
  );
});

test('content is exactly as long as it should be, or fails', async () => {
  for (const size of [0, 4, 6]) {
    const read = Array.fromAsync(exactly(arriving([Buffer.from('hello')]), size));
    await assert.rejects(read, RangeError);
  }
  const pieces = [Buffer.from('he'), Buffer.from('llo')];
  assert.deepEqual(await Array.fromAsync(exactly(arriving(pieces), 5)), pieces);
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
