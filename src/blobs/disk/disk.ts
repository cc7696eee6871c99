import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, open, readdir, rename, rm, statfs, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import {
  BlobMissing,
  type BlobStore,
  type ByteRange,
  type MultipartUpload,
  type PartPosition,
  type StoredBlob,
} from '../blob-store.ts';
import { exactly } from '../parts.ts';
import { type BlockFile, directFlag, type Opening, writeContent } from './direct-writing.ts';
import {
  blobPath,
  incomingIn,
  isMissing,
  makeDirectories,
  onDisk,
  partsIn,
  partsPath,
  syncDirectory,
  unavailable,
} from './layout.ts';

const OWNER_ONLY = 0o600;

/** How long the measured free space is cached. */
const FREE_CACHED_MS = 1_000;

/**
 * A blob store of files in `directory`, which is created if absent. Removes unfinished files of earlier processes.
 * Rejects with BlobsUnavailable when the directory cannot be used.
 */
export async function openDiskBlobs(directory: string): Promise<BlobStore> {
  const root = resolve(directory);
  await onDisk(makeDirectories(root));
  await onDisk(sweepIncoming(incomingIn(root)));
  const direct = await onDisk(directFlag(incomingPath(incomingIn(root))));
  return {
    put: (key, content) => put(root, direct, key, content),
    get: (key, range) => get(root, key, range),
    remove: (key) => remove(root, key),
    begin: (key) => beginParts(root, key),
    putPart: (upload, position, content) => putPart(root, direct, upload, position, content),
    complete: (upload) => completeParts(root, upload),
    abort: (upload) => abortParts(root, upload),
    free: cachedBriefly(() => free(root)),
    check: () => onDisk(access(incomingIn(root), constants.R_OK | constants.W_OK)),
  };
}

async function put(
  root: string,
  direct: number,
  key: string,
  content: AsyncIterable<Uint8Array>,
): Promise<StoredBlob> {
  const target = blobPath(root, key);
  const incoming = incomingPath(incomingIn(root));
  try {
    const { file, size } = await writeContent(openingNew(incoming), { direct, start: 0 }, content);
    await publish(file, incoming, target).finally(() => file.close());
    return { size };
  } catch (error) {
    await discard(incoming);
    throw error;
  }
}

/** Creates the file at the first opening only: if it vanished, creating it again would lose the first bytes. */
function openingNew(path: string): Opening {
  let create = constants.O_CREAT | constants.O_EXCL;
  return (flags) => {
    const opened = open(path, constants.O_WRONLY | create | flags, OWNER_ONLY);
    create = 0;
    return onDisk(opened);
  };
}

/**
 * Renames complete content to its final name and syncs both at the same time, so that the file system needs one journal
 * commit instead of two. A crash may leave the name without the bytes, but no row refers to such a blob: the write has
 * not been acknowledged.
 */
async function publish(file: BlockFile, incoming: string, target: string): Promise<void> {
  await onDisk(rename(incoming, target));
  const [bytes, name] = await Promise.allSettled([file.datasync(), onDisk(syncDirectory(dirname(target)))]);
  const failed = [bytes, name].find((sync) => sync.status === 'rejected');
  if (failed === undefined) return;
  await discard(target);
  throw failed.reason;
}

/** Removes the file of a failed write. Ignores errors: the error of the write is reported, and the next open sweeps. */
async function discard(path: string): Promise<void> {
  await unlink(path).catch(() => {});
}

async function get(root: string, key: string, range?: ByteRange): Promise<Readable> {
  const file = await openBlob(blobPath(root, key));
  return readStream(file, range);
}

async function openBlob(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw isMissing(error) ? new BlobMissing('No such blob', { cause: error }) : unavailable(error);
  }
}

/** Needs no fsync: if a crash undoes the removal, the blob has no row and is swept. */
async function remove(root: string, key: string): Promise<void> {
  const path = blobPath(root, key);
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw unavailable(error);
  }
}

/** Caches a measured size for a second. It may be outdated: the disk itself reports when it is full. */
function cachedBriefly(measure: () => Promise<number>): () => Promise<number> {
  let [size, measuredAt] = [Promise.resolve(0), Number.NEGATIVE_INFINITY];
  return () => {
    const now = performance.now();
    if (now - measuredAt < FREE_CACHED_MS) return size;
    [size, measuredAt] = [measure(), now];
    size.catch(() => (measuredAt = Number.NEGATIVE_INFINITY));
    return size;
  };
}

async function free(root: string): Promise<number> {
  const { bavail, bsize } = await onDisk(statfs(root));
  return bavail * bsize;
}

// Process ids repeat: in a container every start may have the same one. The UUID distinguishes processes.
const THIS_PROCESS = `${process.pid}.${randomUUID()}`;

/** A new path in `directory` for content written by this process. */
function incomingPath(directory: string): string {
  return join(directory, `${THIS_PROCESS}.${randomUUID()}`);
}

/**
 * Removes unfinished files of dead processes. Keeps files of other living processes: a command may run beside the
 * server on the same directory.
 */
async function sweepIncoming(directory: string): Promise<void> {
  const left = (await readdir(directory)).filter((name) => !isBeingWritten(name));
  await Promise.all(left.map((name) => rm(join(directory, name), { force: true })));
}

function isBeingWritten(name: string): boolean {
  if (name.startsWith(THIS_PROCESS)) return true;
  const writer = Number(name.split('.', 1)[0]);
  return writer !== process.pid && isAlive(writer);
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process is alive under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Memory limit of all concurrent readers together, unless even the smallest chunks exceed it. */
const MEMORY_LIMIT = 64 * 1024 * 1024;
const LARGEST_CHUNK = 256 * 1024;
const SMALLEST_CHUNK = 16 * 1024;

let reading = 0;

/**
 * The bytes of a file, or a range of them, as a stream that closes the file. A stream reads one chunk ahead; the more
 * streams there are, the smaller their chunks.
 */
function readStream(file: FileHandle, range?: ByteRange): Readable {
  const content = chunksOf(file, range ?? { start: 0, end: Number.POSITIVE_INFINITY });
  const stream = Readable.from(content, { objectMode: false, highWaterMark: 1 });
  reading++;
  // Fires also for a stream that was never read.
  return stream.once('close', () => {
    reading--;
    file.close().catch(() => undefined);
  });
}

async function* chunksOf(file: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer, void> {
  for (let position = start; position < end; ) {
    const size = Math.min(chunkSize(), end - position);
    const { bytesRead, buffer } = await onDisk(file.read(Buffer.allocUnsafeSlow(size), 0, size, position));
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function chunkSize(): number {
  const share = Math.floor(MEMORY_LIMIT / reading);
  return Math.max(SMALLEST_CHUNK, Math.min(LARGEST_CHUNK, share));
}

/**
 * Creates the file into which parts are written at their offsets. Unwritten ranges take no space if the file system
 * supports sparse files. Handle and tags are empty: the key identifies everything.
 */
async function beginParts(root: string, key: string): Promise<string> {
  const path = partsPath(root, key);
  const file = await onDisk(open(path, constants.O_CREAT | constants.O_WRONLY, 0o600));
  await onDisk(file.close());
  await onDisk(syncDirectory(partsIn(root)));
  return '';
}

async function putPart(
  root: string,
  direct: number,
  { key }: MultipartUpload,
  { start, size }: PartPosition,
  content: AsyncIterable<Uint8Array>,
): Promise<string> {
  const opening = (flags: number) => openParts(partsPath(root, key), flags);
  const { file } = await writeContent(opening, { direct, start }, exactly(content, size));
  await file.datasync().finally(() => file.close());
  return '';
}

async function openParts(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, constants.O_WRONLY | flags);
  } catch (error) {
    throw isMissing(error) ? new BlobMissing('No such upload', { cause: error }) : unavailable(error);
  }
}

/** Every part was synced before its acknowledgement, so only the new name must be synced. */
async function completeParts(root: string, { key }: MultipartUpload): Promise<void> {
  const [source, target] = [partsPath(root, key), blobPath(root, key)];
  try {
    await rename(source, target);
  } catch (error) {
    if (!isMissing(error)) throw unavailable(error);
    await refuseMissing(target);
  }
  await onDisk(syncDirectory(dirname(target)));
}

/** If the parts no longer exist, the upload was completed before or never existed: checks for the blob. */
async function refuseMissing(target: string): Promise<void> {
  try {
    await access(target);
  } catch (error) {
    throw isMissing(error) ? new BlobMissing('No such upload', { cause: error }) : unavailable(error);
  }
}

async function abortParts(root: string, { key }: MultipartUpload): Promise<void> {
  const path = partsPath(root, key);
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw unavailable(error);
  }
}
