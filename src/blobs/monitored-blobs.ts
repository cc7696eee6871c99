import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { newId } from '../platform/ids.ts';
import { WriteMonitor } from '../platform/write-monitor.ts';
import { type BlobStore, BlobsUnavailable } from './blob-store.ts';

/** The size of one disk write, and more than the last free blocks of a full disk. */
const TRIAL_BYTES = 1024 * 1024;

/**
 * The same store, whose `check` fails after a write that it refused, until a trial write succeeds. `isDoubtful` tells that
 * writes may be refused before one was, or rejects where they surely are.
 */
export function monitoredBlobs(blobs: BlobStore, isDoubtful?: () => Promise<boolean>): BlobStore {
  const isRefusal = (error: unknown) => error instanceof BlobsUnavailable;
  const monitor = new WriteMonitor({ isRefusal, isDoubtful, tryWrite: () => tryWrite(blobs) });
  return {
    ...blobs,
    put: (key, content) => monitor.watch(() => blobs.put(key, content)),
    begin: (key) => monitor.watch(() => blobs.begin(key)),
    putPart: (upload, position, content) => monitor.watch(() => blobs.putPart(upload, position, content)),
    complete: (upload, tags) => monitor.watch(() => blobs.complete(upload, tags)),
    check: async () => {
      await blobs.check();
      await monitor.check();
    },
  };
}

async function tryWrite(blobs: BlobStore): Promise<void> {
  const key = newId('blob');
  await blobs.put(key, Readable.from([randomBytes(TRIAL_BYTES)]));
  await blobs.remove(key);
}
