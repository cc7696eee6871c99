import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { BlobMissing, type BlobStore } from '../../src/blobs/blob-store.ts';
import { openBlobs } from '../../src/blobs/open-blobs.ts';
import { eventually } from '../eventually.ts';
import { arriving, bytesOf, read, sha256 } from './blobs-content.ts';
import { diskEngine, type Engine, s3Engine } from './blobs-engines.ts';

const MiB = 1024 * 1024;
const CHILD = new URL('./blobs.child.ts', import.meta.url).pathname;

for (const startEngine of [diskEngine, s3Engine]) {
  describe(`blob store: ${startEngine.name}`, () => contract(startEngine));
}

function contract(startEngine: () => Promise<Engine>): void {
  let engine: Engine;
  let store: BlobStore;

  before(async () => {
    engine = await startEngine();
    store = await openBlobs(engine.settings);
  });
  after(() => engine.close());

  beforeEach(async () => {
    for (const key of await engine.everything()) await store.remove(key);
  });

  function child(command: string) {
    return spawn(process.execPath, [CHILD, command, JSON.stringify(engine.settings)], {
      env: { ...process.env, ...engine.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  for (const size of [0, 1, 5 * MiB + 1, 8 * MiB, 8 * MiB + 1, 20 * MiB]) {
    test(`${size} bytes come back exactly, with their size`, async () => {
      const bytes = bytesOf(size);
      assert.deepEqual(await store.put('whole', arriving(bytes)), { size });
      assert.ok(bytes.equals(await read(store.get('whole'))));
      assert.deepEqual(await engine.everything(), ['whole']);
    });
  }

  test('any range gives the bytes from its start up to its end', async () => {
    const bytes = bytesOf(300_000);
    await store.put('ranged', arriving(bytes));
    const offset = fc.integer({ min: 0, max: 300_050 });
    await fc.assert(
      fc.asyncProperty(offset, offset, async (a, b) => {
        const range = { start: Math.min(a, b), end: Math.max(a, b) };
        assert.ok(bytes.subarray(range.start, range.end).equals(await read(store.get('ranged', range))));
      }),
      {
        numRuns: 60,
        examples: [
          [0, 0],
          [0, 1],
          [299_999, 300_000],
          [300_000, 300_000],
          [300_010, 300_020],
        ],
      },
    );
  });

  test('a key without a blob is missing, with and without a range', async () => {
    await assert.rejects(store.get('absent'), BlobMissing);
    await assert.rejects(store.get('absent', { start: 0, end: 5 }), BlobMissing);
    await assert.rejects(store.get('absent', { start: 0, end: 0 }), BlobMissing);
  });

  test('a removed blob is missing, and may be removed again', async () => {
    await store.put('gone', arriving(bytesOf(10)));
    await store.remove('gone');
    await store.remove('gone');
    await assert.rejects(store.get('gone'), BlobMissing);
    assert.deepEqual(await engine.everything(), []);
  });

  test('an open reader reads to the end while the blob is removed', async () => {
    const bytes = bytesOf(5 * MiB);
    await store.put('read', arriving(bytes));
    const stream = await store.get('read');
    await store.remove('read');
    assert.ok(bytes.equals(await read(Promise.resolve(stream))));
  });

  for (const size of [0, 10, 20 * MiB]) {
    test(`a source that fails after ${size} bytes fails the put with its error and leaves nothing`, async () => {
      const failure = Object.assign(new Error('the client went away'), { code: 'ENOSPC' });
      await assert.rejects(
        store.put('broken', arriving(bytesOf(size), failure)),
        (error) => error === failure,
      );
      assert.deepEqual(await engine.everything(), []);
    });
  }

  test('puts at the same time do not mix', async () => {
    const contents = Array.from({ length: 20 }, (_, n) => bytesOf(n * 100_000 + n, n));
    await Promise.all(contents.map((bytes, n) => store.put(`parallel-${n}`, arriving(bytes))));
    const back = await Promise.all(contents.map((_, n) => read(store.get(`parallel-${n}`))));
    assert.deepEqual(back.map(sha256), contents.map(sha256));
  });

  test('a source of single bytes is stored like any other', async () => {
    const bytes = bytesOf(20_000);
    await store.put('drops', arriving(bytes, undefined, 1));
    assert.ok(bytes.equals(await read(store.get('drops'))));
  });

  for (const key of [
    '',
    '.',
    '..',
    '../up',
    'a/b',
    '/etc/passwd',
    'a\0',
    'a\n',
    'ä',
    'a b',
    'a.b',
    'k'.repeat(101),
  ]) {
    test(`${JSON.stringify(key.slice(0, 20))} is no key`, async () => {
      await assert.rejects(store.put(key, arriving(bytesOf(1))), TypeError);
      await assert.rejects(store.get(key), TypeError);
      await assert.rejects(store.remove(key), TypeError);
      assert.deepEqual(await engine.everything(), []);
    });
  }

  test('a key may have 100 letters, digits, "_" and "-"', async () => {
    const key = 'Az09_-'.padEnd(100, 'k');
    await store.put(key, arriving(bytesOf(3)));
    assert.ok(bytesOf(3).equals(await read(store.get(key))));
  });

  test('the store answers that it is there', () => store.check());

  test('memory does not grow with the blob', async () => {
    for (const command of ['put', 'get']) {
      const growth: number = JSON.parse(await text(child(command).stdout));
      assert.ok(growth < 150, `${command} of 300 MiB took ${growth} MiB`);
    }
  });

  test('a process killed while it puts leaves no blob, and what it did leave goes with its key', async () => {
    const putting = child('stall');
    await once(putting.stdout, 'data');
    await eventually(async () => (await engine.everything()).length > 0, 'a part of it is stored');
    putting.kill('SIGKILL');
    await once(putting, 'exit');
    await assert.rejects(store.get('stalled'), BlobMissing);
    assert.ok(!(await engine.everything()).includes('stalled'));
    await (await openBlobs(engine.settings)).remove('stalled');
    assert.deepEqual(await engine.everything(), []);
  });
}
