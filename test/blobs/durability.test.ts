import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, mock, test } from 'node:test';
import { type BlobStore, BlobsUnavailable } from '../../src/blobs/blob-store.ts';
import { openDiskBlobs } from '../../src/blobs/disk.ts';
import { arriving, bytesOf } from '../contract/blobs-content.ts';
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

  for (const call of ['write', 'datasync', 'sync'] satisfies Call[]) {
    test(`a put whose ${call} fails is unavailable and leaves nothing`, async () => {
      const failure = Object.assign(new Error('i/o error'), { code: 'EIO' });
      mock.method(handles, call, () => Promise.reject(failure));
      await assert.rejects(store.put('failing', arriving(bytesOf(10))), (error) => {
        assert.ok(error instanceof BlobsUnavailable);
        assert.equal(error.cause, failure);
        return true;
      });
      assert.deepEqual(await filesBelow(root), []);
    });
  }
});
