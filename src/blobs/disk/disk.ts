import { constants } from 'node:fs';
import { access, type FileHandle, open, rename, statfs, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { BlobMissing, type BlobStore, type ByteRange, type StoredBlob } from '../blob-store.ts';
import { directFlag } from './direct.ts';
import { syncDirectory } from './directories.ts';
import { isMissing, onDisk, unavailable } from './errors.ts';
import { incomingPath, sweepIncoming } from './incoming.ts';
import { blobPath, incomingIn, makeDirectories } from './layout.ts';
import { abortParts, beginBlocks, completeParts, putPart } from './parts.ts';
import { readStream } from './reading.ts';
import { type BlockFile, type Opening, writeContent } from './writing.ts';

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
