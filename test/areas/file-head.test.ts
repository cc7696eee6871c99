import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { freeingChunks, Head } from '../../src/areas/drive/uploads/received-content.ts';

test('the head is the first bytes, whatever pieces they come in, and all content passes', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.nat({ max: 60 }), async (given, bytes) => {
      const whole = Buffer.concat(given);
      const head = new Head(bytes);
      const passed = await Array.fromAsync(head.record(arriving(given)));
      assert.deepEqual(Buffer.concat(passed), whole);
      assert.deepEqual(await head.whole, whole.subarray(0, bytes));
    }),
  );
});

test('the head stays whole when the content gives its memory back', async () => {
  const head = new Head(10);
  for await (const _ of freeingChunks(head.record(arriving([Buffer.from(new ArrayBuffer(8)).fill(7)]))));
  assert.deepEqual(await head.whole, Buffer.alloc(8, 7));
});

test('a chunk has its memory until the next one is asked for, and one that shares its memory keeps it', async () => {
  const shared = Buffer.from(new ArrayBuffer(100)).fill(1);
  const chunks = [new Uint8Array(50).fill(2), shared.subarray(0, 10), new Uint8Array(50).fill(3)];
  const lengths: number[][] = [];
  for await (const _ of freeingChunks(arriving(chunks))) lengths.push(chunks.map((chunk) => chunk.length));
  assert.deepEqual(lengths, [
    [50, 10, 50],
    [0, 10, 50],
    [0, 10, 50],
  ]);
  assert.equal(chunks[2]?.length, 0);
  assert.ok(shared.every((byte) => byte === 1));
});

async function* arriving(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
