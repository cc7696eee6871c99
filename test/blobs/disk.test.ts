import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { BlobsUnavailable } from '../../src/blobs/blob-store.ts';
import { BLOCK_BYTES } from '../../src/blobs/disk/direct-writing.ts';
import { openDiskBlobs } from '../../src/blobs/disk/disk.ts';
import { arriving, bytesOf, read } from '../contract/blobs-content.ts';
import { filesBelow } from '../contract/blobs-engines.ts';

const childPath = (path: string) => new URL(path, import.meta.url).pathname;
const CONTRACT_CHILD = childPath('../contract/blobs.child.ts');
const FULL_DISK_CHILD = childPath('./full-disk.child.ts');

describe('blobs on disk', () => {
  let dataDir: string;
  let root: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'atrium-disk-'));
    root = join(dataDir, 'blobs');
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  /** A process that is in the middle of putting a blob. */
  async function putting() {
    const settings = JSON.stringify({ dataDir });
    const child = spawn(process.execPath, [CONTRACT_CHILD, 'stall', settings], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    return child;
  }

  test('nobody but the owner may read the files and enter the directories', async () => {
    const store = await openDiskBlobs(join(root, 'deep'));
    await store.put('private', arriving(bytesOf(10)));
    const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      assert.equal(mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, entry.name);
    }
  });

  test('blobs are spread over directories', async () => {
    const store = await openDiskBlobs(root);
    for (let n = 0; n < 50; n++) await store.put(`blob_01h455vb4pex5vsknk084sn${n}`, arriving(bytesOf(1)));
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const directories = new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.parentPath));
    assert.ok(directories.size > 25, `${directories.size} directories`);
  });

  test('what a killed process left unfinished is removed at open', async () => {
    const child = await putting();
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal((await filesBelow(root)).length, 1);
    await openDiskBlobs(root);
    assert.deepEqual(await filesBelow(root), []);
  });

  test('what an earlier process with the same id left unfinished is removed at open', async () => {
    await openDiskBlobs(root);
    await writeFile(join(root, 'incoming', `${process.pid}.of-an-earlier-life.1`), 'part');
    await writeFile(join(root, 'incoming', 'no process id'), 'part');
    await openDiskBlobs(root);
    assert.deepEqual(await filesBelow(root), []);
  });

  test('what another living process is writing stays', async () => {
    const child = await putting();
    await openDiskBlobs(root);
    assert.equal((await filesBelow(root)).length, 1);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  test('a put survives that its own process opens the store again', async () => {
    const bytes = bytesOf(1_000_000);
    const store = await openDiskBlobs(root);
    async function* interrupted() {
      yield bytes.subarray(0, 600_000);
      await openDiskBlobs(root);
      yield bytes.subarray(600_000);
    }
    await store.put('steady', interrupted());
    assert.ok(bytes.equals(await read(store.get('steady'))));
  });

  test('a lost directory makes the store unavailable until it is back', async () => {
    const store = await openDiskBlobs(root);
    await rename(root, `${root}-away`);
    await assert.rejects(store.check(), BlobsUnavailable);
    await assert.rejects(store.put('lost', arriving(bytesOf(10))), BlobsUnavailable);
    await rename(`${root}-away`, root);
    await store.check();
    await store.put('found', arriving(bytesOf(10)));
  });

  test('what is no file cannot be opened, but is not missing either', async () => {
    await writeFile(root, 'a file where the directory should be');
    await assert.rejects(openDiskBlobs(root), BlobsUnavailable);
  });

  test('a failed publication leaves nothing', async () => {
    const store = await openDiskBlobs(root);
    await store.put('taken', arriving(bytesOf(10)));
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const directory = entries.find((entry) => entry.isFile())?.parentPath ?? '';
    await rm(directory, { recursive: true });
    await mkdir(join(directory, 'taken', 'in the way'), { recursive: true });
    await assert.rejects(store.put('taken', arriving(bytesOf(10))), BlobsUnavailable);
    assert.deepEqual(await filesBelow(root), []);
  });

  test('more blobs than there are blocks kept for them come at once', async () => {
    const store = await openDiskBlobs(root);
    const bytes = bytesOf(2 * BLOCK_BYTES + 100);
    const contents = Array.from({ length: 80 }, (_, n) => bytes.subarray(n, bytes.length - n));
    await Promise.all(contents.map((content, n) => store.put(`blob_${n}`, arriving(content))));
    for (const [n, content] of contents.entries())
      assert.ok(content.equals(await read(store.get(`blob_${n}`))), `blob ${n}`);
  });

  test('content that is removed while it comes is no blob', async () => {
    const store = await openDiskBlobs(root);
    const incoming = join(root, 'incoming');
    const content = arriving(bytesOf(BLOCK_BYTES + 100));
    // The rest is written after that, where whole blocks go past the page cache by a handle that is opened for it.
    async function* swept() {
      yield* content;
      for (const name of await readdir(incoming)) await rm(join(incoming, name));
    }
    await assert.rejects(store.put('swept', swept()), BlobsUnavailable);
    assert.deepEqual(await filesBelow(root), []);
  });

  test('parts that begin in the middle of a page are written where they belong', async () => {
    const store = await openDiskBlobs(root);
    const bytes = bytesOf(3 * BLOCK_BYTES + 100);
    const size = BLOCK_BYTES + 50;
    const blob = { key: 'odd', handle: await store.begin('odd') };
    const put = (number: number) => {
      const start = (number - 1) * size;
      const content = bytes.subarray(start, start + size);
      return store.putPart(blob, { number, start, size: content.length }, arriving(content));
    };
    await Promise.all([3, 1, 2].map(put));
    await store.complete(blob, ['', '', '']);
    assert.ok(bytes.equals(await read(store.get('odd'))));
  });

  test('a full disk makes a put unavailable, leaves nothing of it, and serves on', (t) => {
    const mount = 'mount -t tmpfs -o size=4m none "$1" && exec "$2" "$3" "$1"';
    const probe = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none "$1"', 'sh', dataDir]);
    if (probe.status !== 0)
      return t.skip('needs to mount a small file system (unshare -rm), not allowed here');
    const command = ['-rm', 'sh', '-c', mount, 'sh', dataDir, process.execPath, FULL_DISK_CHILD];
    const { stdout, stderr } = spawnSync('unshare', command, { encoding: 'utf8' });
    assert.deepEqual(
      stdout.trim().split('\n'),
      [
        'BlobsFull because of ENOSPC',
        'left: before',
        'before: 1048576 bytes',
        'after removal: 3145728 bytes',
      ],
      stderr,
    );
  });
});
