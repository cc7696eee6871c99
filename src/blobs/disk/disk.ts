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

/** How long it is taken for known how much still fits. */
const FREE_KNOWN_MS = 1_000;

/**
 * A blob store of files in `directory`, which is made when absent. What an earlier process left unfinished there
 * is removed. Rejects with BlobsUnavailable when the directory cannot be used.
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
    begin: (key) => beginBlocks(root, key),
    putPart: (blob, place, content) => putPart(root, direct, blob, place, content),
    complete: (blob) => completeParts(root, blob),
    abort: (blob) => abortParts(root, blob),
    free: rememberedShortly(() => free(root)),
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

/** Makes a file and opens it again; were it gone meanwhile, another one would have the rest of the content only. */
function openingNew(path: string): Opening {
  let make = constants.O_CREAT | constants.O_EXCL;
  return (flags) => {
    const opened = open(path, constants.O_WRONLY | make | flags, OWNER_ONLY);
    make = 0;
    return onDisk(opened);
  };
}

/**
 * Gives whole content its name, and makes both durable at once, for which a file system needs one commit of its journal
 * instead of two. A crash may leave the name without the bytes: of a blob that no row has, since there is no yes yet.
 */
async function publish(file: BlockFile, incoming: string, target: string): Promise<void> {
  await onDisk(rename(incoming, target));
  const [bytes, name] = await Promise.allSettled([file.datasync(), onDisk(syncDirectory(dirname(target)))]);
  const failed = [bytes, name].find((sync) => sync.status === 'rejected');
  if (failed === undefined) return;
  await discard(target);
  throw failed.reason;
}

/** Takes away what a failed write made. Its failure is not the one to report, and the next open sweeps again. */
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

/** Needs no fsync: where a crash undoes the removal, the blob is one without a row, and those are swept. */
async function remove(root: string, key: string): Promise<void> {
  const path = blobPath(root, key);
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw unavailable(error);
  }
}

/** Asks for room as often as once a second: what is there changes with every write, and the disk itself says when it is full. */
function rememberedShortly(ask: () => Promise<number>): () => Promise<number> {
  let [answer, askedAt] = [Promise.resolve(0), Number.NEGATIVE_INFINITY];
  return () => {
    const now = performance.now();
    if (now - askedAt < FREE_KNOWN_MS) return answer;
    [answer, askedAt] = [ask(), now];
    answer.catch(() => (askedAt = Number.NEGATIVE_INFINITY));
    return answer;
  };
}

async function free(root: string): Promise<number> {
  const { bavail, bsize } = await onDisk(statfs(root));
  return bavail * bsize;
}

// A process id comes back: in a container every start may have the same one. The second half tells the lives apart.
const THIS_PROCESS = `${process.pid}.${randomUUID()}`;

/** A new path in `directory` for content that is being written by this process. */
function incomingPath(directory: string): string {
  return join(directory, `${THIS_PROCESS}.${randomUUID()}`);
}

/**
 * Removes what processes that are gone were writing. What another living process writes stays: a command may
 * run beside the server on the same directory.
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
    // EPERM: it lives, under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Bytes that all who read at the same time may hold together, as far as pieces of the smallest size allow. */
const HELD_TOGETHER = 64 * 1024 * 1024;
const LARGEST_PIECE = 256 * 1024;
const SMALLEST_PIECE = 16 * 1024;

let reading = 0;

/**
 * The bytes of a file, or a range of them, as a stream that closes the file. A stream reads a piece ahead and no more;
 * the more streams there are, the smaller are their pieces.
 */
function readStream(file: FileHandle, range?: ByteRange): Readable {
  const content = pieces(file, range ?? { start: 0, end: Number.POSITIVE_INFINITY });
  const stream = Readable.from(content, { objectMode: false, highWaterMark: 1 });
  reading++;
  // Also of a stream that nobody has begun to read.
  return stream.once('close', () => {
    reading--;
    file.close().catch(() => undefined);
  });
}

async function* pieces(file: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer, void> {
  for (let position = start; position < end; ) {
    const size = Math.min(pieceSize(), end - position);
    const { bytesRead, buffer } = await onDisk(file.read(Buffer.allocUnsafeSlow(size), 0, size, position));
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function pieceSize(): number {
  const share = Math.floor(HELD_TOGETHER / reading);
  return Math.max(SMALLEST_PIECE, Math.min(LARGEST_PIECE, share));
}

/**
 * Makes the file that parts are written into at their offsets. What was not written yet takes no space, where the file
 * system knows sparse files. The key says all: handle and tags are empty.
 */
async function beginBlocks(root: string, key: string): Promise<string> {
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

/** Every part was synced before its yes, so that only the name is new. */
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

/** What is not among the parts any more was completed before, or never was. */
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
