import assert from 'node:assert/strict';
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, mock, test } from 'node:test';
import { type BlobStore, BlobsUnavailable } from '../../src/blobs/blob-store.ts';
import { BLOCK_BYTES, directFlag } from '../../src/blobs/disk/direct-writing.ts';
import { openDiskBlobs } from '../../src/blobs/disk/disk.ts';
import { arriving, bytesOf, read } from '../contract/blobs-content.ts';
import { filesBelow } from '../contract/blobs-engines.ts';

type Call = 'write' | 'datasync' | 'sync';

describe('what a put asks of the disk', () => {
  let root: string;
  let store: BlobStore;
  let handles: fs.FileHandle;

  before(async () => {
    root = await fs.mkdtemp(join(tmpdir(), 'atrium-durable-'));
    const handle = await fs.open(root);
    handles = Object.getPrototypeOf(handle);
    await handle.close();
  });
  beforeEach(async () => {
    store = await openDiskBlobs(root);
  });
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
  });
  after(() => fs.rm(root, { recursive: true }));

  test('bytes and name are on disk before the answer, in one commit of the file system', async () => {
    const done: string[] = [];
    const { datasync, sync } = handles;
    const { rename } = fs;
    mock.method(handles, 'datasync', async function (this: fs.FileHandle) {
      await datasync.call(this);
      done.push('bytes');
    });
    mock.method(handles, 'sync', async function (this: fs.FileHandle) {
      await sync.call(this);
      done.push('directory');
    });
    mock.method(fs, 'rename', async (from: string, to: string) => {
      await rename(from, to);
      done.push('name');
    });
    syncBuiltinESMExports();
    await store.put('durable', arriving(bytesOf(1_000_000)));
    assert.equal(done[0], 'name');
    assert.deepEqual(done.slice(1).sort(), ['bytes', 'directory']);
    await store.remove('durable');
  });

  test('a new directory is in its parent before the store is open', async () => {
    const synced: number[] = [];
    const { sync } = handles;
    mock.method(handles, 'sync', async function (this: fs.FileHandle) {
      synced.push((await this.stat()).ino);
      await sync.call(this);
    });
    await openDiskBlobs(join(root, 'a', 'b'));
    for (const parent of [root, join(root, 'a'), join(root, 'a', 'b')])
      assert.ok(synced.includes((await fs.stat(parent)).ino), parent);
  });

  for (const call of ['write', 'datasync', 'sync'] satisfies Call[])
    for (const size of [10, BLOCK_BYTES, BLOCK_BYTES + 10]) {
      test(`a put of ${size} bytes whose ${call} fails is unavailable and leaves nothing`, async () => {
        const failure = Object.assign(new Error('i/o error'), { code: 'EIO' });
        mock.method(handles, call, () => Promise.reject(failure));
        await assert.rejects(store.put('failing', arriving(bytesOf(size))), (error) => {
          assert.ok(error instanceof BlobsUnavailable);
          assert.equal(error.cause, failure);
          return true;
        });
        assert.deepEqual(await filesBelow(root), []);
      });
    }

  describe('of whole blocks', () => {
    const content = bytesOf(2 * BLOCK_BYTES + 10);
    let opened: (string | number | undefined)[];
    beforeEach(() => {
      opened = [];
      const { open } = fs;
      mock.method(fs, 'open', (path: string, flags?: string | number, mode?: number) => {
        opened.push(flags);
        return open(path, flags, mode);
      });
      syncBuiltinESMExports();
    });
    const isDirect = (flags: string | number | undefined) =>
      typeof flags === 'number' && (flags & constants.O_DIRECT) !== 0;

    test('they go past the page cache, and what is left by way of it', async (t) => {
      if (!(await takesDirect(root))) return t.skip('this file system has no writes past the page cache');
      store = await openDiskBlobs(root);
      opened.length = 0;
      await store.put('large', arriving(content));
      assert.deepEqual(opened.slice(0, 2).map(isDirect), [true, false]);
      assert.ok(content.equals(await read(store.get('large'))));
      opened.length = 0;
      await store.put('small', arriving(content.subarray(0, BLOCK_BYTES - 1)));
      assert.deepEqual(opened.filter(isDirect), []);
    });

    test('they go by way of it where the file system refuses anything else', async () => {
      const { open } = fs;
      mock.method(fs, 'open', (path: string, flags?: string | number, mode?: number) =>
        isDirect(flags)
          ? Promise.reject(Object.assign(new Error('invalid argument'), { code: 'EINVAL' }))
          : open(path, flags, mode),
      );
      syncBuiltinESMExports();
      store = await openDiskBlobs(root);
      await store.put('refused', arriving(content));
      assert.ok(content.equals(await read(store.get('refused'))));
      await store.remove('refused');
    });
  });
});

/** Whether the file system writes a page past its cache. */
async function takesDirect(directory: string): Promise<boolean> {
  return (await directFlag(join(directory, 'incoming', 'trial'))) !== 0;
}
