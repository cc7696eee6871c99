import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { BlobMissing, type BlobStore, BlobsUnavailable } from '../blobs/blob-store.ts';
import type { NamedBlob } from '../named-blobs.ts';
import { blobListPath, blobPath } from './layout.ts';
import { LineFile } from './line-file.ts';
import type { ArchivedBlob, BlobList } from './manifest.ts';
import type { Progress } from './progress.ts';

/** A blob that the store cannot give, and why. */
export interface LostBlob {
  blob: NamedBlob;
  reason: string;
}

const BLOBS_AT_ONCE = 4;
const OWNER_ONLY = 0o600;

/**
 * Copies blobs into a backup, as many as the store can give: one that is lost ends nothing. Rejects with BlobsUnavailable
 * where the store serves nothing.
 */
export async function copyBlobs(
  blobs: BlobStore,
  directory: string,
  named: readonly NamedBlob[],
  progress: Progress,
): Promise<{ list: BlobList; lost: LostBlob[] }> {
  const list = await LineFile.create(blobListPath(directory));
  const lost: LostBlob[] = [];
  const waiting = named.values();
  const copyOn = async () => {
    for (const blob of waiting) {
      const copied = await copyOrLose(blobs, directory, blob.key);
      if ('reason' in copied) {
        lost.push({ blob, reason: copied.reason });
        continue;
      }
      progress.blobs++;
      progress.bytes += copied.size;
      await list.write([copied]);
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: BLOBS_AT_ONCE }, copyOn));
  const { lines, sha256 } = await list.close();
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  return { list: { count: lines, bytes: progress.bytes, sha256 }, lost };
}

/** A store that gives one blob not, and others, has lost it; a store that serves nothing is no loss of each. */
async function copyOrLose(
  blobs: BlobStore,
  directory: string,
  key: string,
): Promise<ArchivedBlob | { reason: string }> {
  for (let isAgain = false; ; isAgain = true) {
    try {
      return await copyBlob(blobs, directory, key);
    } catch (error) {
      await rm(blobPath(directory, key), { force: true });
      if (error instanceof BlobMissing) return { reason: 'is missing' };
      if (!(error instanceof BlobsUnavailable)) throw error;
      await blobs.check();
      if (isAgain) return { reason: `cannot be read: ${reasonOf(error)}` };
    }
  }
}

function reasonOf({ message, cause }: BlobsUnavailable): string {
  return (cause instanceof Error && cause.message) || message;
}

async function copyBlob(blobs: BlobStore, directory: string, key: string): Promise<ArchivedBlob> {
  const file = await open(blobPath(directory, key), 'wx', OWNER_ONLY);
  try {
    const copied = await copyInto(file, await blobs.get(key));
    await file.sync();
    return { key, ...copied };
  } finally {
    await file.close();
  }
}

async function copyInto(
  file: FileHandle,
  content: AsyncIterable<Buffer>,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    size += chunk.length;
    await file.writeFile(chunk);
  }
  return { size, sha256: hash.digest('hex') };
}
