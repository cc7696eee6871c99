import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  BlobMissing,
  type BlobStore,
  type MultipartUpload,
  type PartPosition,
} from '../../src/blobs/blob-store.ts';
import { openBlobs } from '../../src/blobs/open-blobs.ts';
import { arriving, bytesOf, read, sha256 } from './blobs-content.ts';
import { diskEngine, type Engine, s3Engine } from './blobs-engines.ts';

const MiB = 1024 * 1024;
const PART = 5 * MiB;
const LAST = 12_345;
const WHOLE = bytesOf(2 * PART + LAST);
const CHILD = new URL('./blobs.child.ts', import.meta.url).pathname;

for (const startEngine of [diskEngine, s3Engine]) {
  describe(`blobs in parts: ${startEngine.name}`, () => contract(startEngine));
}

function positionOf(number: number): PartPosition {
  return { number, start: (number - 1) * PART, size: number === 3 ? LAST : PART };
}

function bytesAt({ start, size }: PartPosition): Buffer {
  return WHOLE.subarray(start, start + size);
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

  const begin = async (key: string): Promise<MultipartUpload> => ({ key, handle: await store.begin(key) });
  const put = (blob: MultipartUpload, number: number, bytes = bytesAt(positionOf(number))) =>
    store.putPart(blob, positionOf(number), arriving(bytes));
  const putAll = (blob: MultipartUpload) => Promise.all([put(blob, 1), put(blob, 2), put(blob, 3)]);

  test('parts in any order and at once become the blob', async () => {
    const blob = await begin('assembled');
    const third = await put(blob, 3);
    const [second, first] = await Promise.all([put(blob, 2), put(blob, 1)]);
    await assert.rejects(store.get('assembled'), BlobMissing);
    await store.complete(blob, [first, second, third]);
    assert.ok(WHOLE.equals(await read(store.get('assembled'))));
    assert.ok(
      WHOLE.subarray(PART - 5, PART + 5).equals(
        await read(store.get('assembled', { start: PART - 5, end: PART + 5 })),
      ),
    );
    assert.deepEqual(await engine.everything(), ['assembled']);
  });

  test('one short part is a blob', async () => {
    const blob = await begin('short');
    const tag = await store.putPart(blob, { number: 1, start: 0, size: 3 }, arriving(bytesOf(3)));
    await store.complete(blob, [tag]);
    assert.ok(bytesOf(3).equals(await read(store.get('short'))));
  });

  test('a part that is put again takes the place of the earlier one', async () => {
    const blob = await begin('replaced');
    await put(blob, 2, bytesOf(PART, 7));
    await store.complete(blob, await putAll(blob));
    assert.ok(WHOLE.equals(await read(store.get('replaced'))));
  });

  test('completing again changes nothing, at once and later', async () => {
    const blob = await begin('again');
    const tags = await putAll(blob);
    await Promise.all([store.complete(blob, tags), store.complete(blob, tags)]);
    await store.complete(blob, tags);
    await store.abort(blob);
    assert.ok(WHOLE.equals(await read(store.get('again'))));
  });

  test('what is aborted takes no space, and takes no parts', async () => {
    const blob = await begin('aborted');
    const tags = await putAll(blob);
    await store.abort(blob);
    await store.abort(blob);
    assert.deepEqual(await engine.everything(), []);
    await assert.rejects(put(blob, 1), BlobMissing);
    await assert.rejects(store.complete(blob, tags), BlobMissing);
    await assert.rejects(store.get('aborted'), BlobMissing);
  });

  for (const [what, bytes] of [
    ['longer', bytesOf(PART + 1)],
    ['shorter', bytesOf(PART - 1)],
    ['empty', bytesOf(0)],
  ] as const) {
    test(`a part that is ${what} than its place is refused, and its neighbours stay`, async () => {
      const blob = await begin('misfit');
      const tags = await putAll(blob);
      await assert.rejects(put(blob, 2, bytes), RangeError);
      tags[1] = await put(blob, 2);
      await store.complete(blob, tags);
      assert.ok(WHOLE.equals(await read(store.get('misfit'))));
    });
  }

  test('a source that fails fails the part with its error', async () => {
    const blob = await begin('broken');
    const failure = Object.assign(new Error('the client went away'), { code: 'ENOSPC' });
    const content = arriving(bytesOf(MiB), failure);
    await assert.rejects(store.putPart(blob, positionOf(1), content), (error) => error === failure);
    await store.abort(blob);
    assert.deepEqual(await engine.everything(), []);
  });

  test('sixteen parts at once do not mix', async () => {
    const blob = await begin('parallel');
    const parts = Array.from({ length: 16 }, (_, n) => bytesOf(PART, n));
    const stored = await Promise.all(
      parts.map((bytes, n) =>
        store.putPart(
          blob,
          { number: n + 1, start: n * PART, size: PART },
          arriving(bytes, undefined, 65_536),
        ),
      ),
    );
    await store.complete(blob, stored);
    assert.equal(sha256(await read(store.get('parallel'))), sha256(Buffer.concat(parts)));
  });

  test('a key that is none is refused', async () => {
    const blob = { key: '../up', handle: '' };
    await assert.rejects(store.begin(blob.key), TypeError);
    await assert.rejects(put(blob, 1), TypeError);
    await assert.rejects(store.complete(blob, ['']), TypeError);
    await assert.rejects(store.abort(blob), TypeError);
    assert.deepEqual(await engine.everything(), []);
  });

  test('the store says how much still fits', async () => assert.ok((await store.free()) > MiB));

  test('a process killed while it puts parts leaves those that it acknowledged', async () => {
    const blob = await begin('killed');
    const child = spawn(
      process.execPath,
      [CHILD, 'parts', JSON.stringify(engine.settings), JSON.stringify(blob)],
      {
        env: { ...process.env, ...engine.env },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const tags: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      tags.push(JSON.parse(line));
      if (tags.length === 3) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const after = await openBlobs(engine.settings);
    // Whatever of the last part the killed process wrote is written over: a part's place keeps its size.
    const last = bytesOf(PART, 1);
    const tag = await after.putPart(blob, { number: 4, start: 3 * PART, size: PART }, arriving(last));
    await after.complete(blob, [...tags.slice(0, 3), tag]);
    const part = bytesOf(MiB);
    const expected = Buffer.concat([...Array.from({ length: 15 }, () => part), last]);
    assert.equal(sha256(await read(after.get('killed'))), sha256(expected));
  });
}
