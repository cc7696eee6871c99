import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { BlobMissing, type BlobStore, BlobsUnavailable } from '../blobs/blob-store.ts';
import { Checksum } from '../blobs/checksum.ts';
import { blobListPath, blobPath } from './backup-directory.ts';
import { LineFile } from './line-file.ts';
import type { ArchivedBlob, BlobList, Progress } from './manifest.ts';
import { damageOf, type ReferencedBlob } from './referenced-blobs.ts';

/** A blob that the store cannot read or that has other bytes than were stored, and the reason. */
export interface Loss {
  blob: ReferencedBlob;
  reason: string;
}

const BLOBS_AT_ONCE = 4;
const OWNER_ONLY = 0o600;

/** Source and target of a copy. `checksumOf` returns the checksum of a blob from the time when it was stored. */
interface Copying {
  blobs: BlobStore;
  directory: string;
  checksumOf(key: string): Promise<number | undefined>;
  progress: Progress;
}

/**
 * Copies blobs into a backup, as far as the store can read them: a lost blob does not abort the backup, and a damaged
 * one is copied as it is. Rejects with BlobsUnavailable if the store is not available at all.
 */
export async function copyBlobs(
  { blobs, directory, checksumOf, progress }: Copying,
  referenced: readonly ReferencedBlob[],
): Promise<{ list: BlobList; missing: Loss[]; damaged: Loss[] }> {
  const list = await LineFile.create(blobListPath(directory));
  const missing: Loss[] = [];
  const damaged: Loss[] = [];
  const waiting = referenced.values();
  const copyWaiting = async () => {
    for (const blob of waiting) {
      const copied = await copyOrLose(blobs, directory, blob.key);
      if ('reason' in copied) {
        missing.push({ blob, reason: copied.reason });
        continue;
      }
      const { checksum, ...archived } = copied;
      const reason = damageOf(blob, await checksumOf(blob.key), copied);
      if (reason !== undefined) damaged.push({ blob, reason });
      progress.blobs++;
      progress.bytes += archived.size;
      await list.write([archived]);
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: BLOBS_AT_ONCE }, copyWaiting));
  const { lines, sha256 } = await list.close();
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  return { list: { count: lines, bytes: progress.bytes, sha256 }, missing, damaged };
}

/** A blob that cannot be read counts as lost only while the store is available. */
async function copyOrLose(
  blobs: BlobStore,
  directory: string,
  key: string,
): Promise<CopiedBlob | { reason: string }> {
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

/** A blob in the backup, with the checksum of the bytes that were read. */
type CopiedBlob = ArchivedBlob & { checksum: number };

async function copyBlob(blobs: BlobStore, directory: string, key: string): Promise<CopiedBlob> {
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
): Promise<{ size: number; sha256: string; checksum: number }> {
  const hash = createHash('sha256');
  const checksum = new Checksum();
  let size = 0;
  for await (const chunk of checksum.of(content)) {
    hash.update(chunk);
    size += chunk.length;
    await file.writeFile(chunk);
  }
  return { size, sha256: hash.digest('hex'), checksum: checksum.value };
}
