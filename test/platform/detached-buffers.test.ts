import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { test } from 'node:test';
import { pipeDetaching } from '../../src/platform/detached-buffers.ts';

/** Takes chunks as slowly as it is let. */
class SlowTarget extends Writable {
  readonly taken: Buffer[] = [];
  takeOne: () => void = () => undefined;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.takeOne = () => {
      this.taken.push(Buffer.from(chunk));
      done();
    };
  }
}

test('a chunk keeps its memory until the target has taken it, and has none after', async () => {
  const chunks = [1, 2, 3].map((byte) => new Uint8Array(1000).fill(byte));
  const shared = Buffer.from(new ArrayBuffer(2000)).fill(4).subarray(0, 1000);
  const source = Readable.from([...chunks, shared], { objectMode: false, highWaterMark: 1 });
  const target = new SlowTarget({ highWaterMark: 2500 });
  pipeDetaching(source, target);
  const lengths: number[][] = [];
  while (!target.writableFinished) {
    await new Promise(setImmediate);
    lengths.push([...chunks, shared].map(({ length }) => length));
    const { takeOne } = target;
    target.takeOne = () => undefined;
    takeOne();
  }
  assert.deepEqual(lengths[0], [1000, 1000, 1000, 1000]);
  assert.deepEqual(lengths.at(-1), [0, 0, 0, 1000]);
  assert.deepEqual(
    target.taken.map((chunk) => [chunk.length, ...new Set(chunk)]),
    [
      [1000, 1],
      [1000, 2],
      [1000, 3],
      [1000, 4],
    ],
  );
});

test('a source that fails does not end its target', async () => {
  const source = new Readable({ read: () => undefined });
  const target = new SlowTarget();
  pipeDetaching(source, target);
  source.destroy(new Error('the disk has gone'));
  await assert.rejects(finished(source), /the disk has gone/);
  assert.equal(target.writableEnded, false);
});
