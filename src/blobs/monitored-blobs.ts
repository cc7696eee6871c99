import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { newId } from '../platform/ids.ts';
import { SpaceMonitor } from '../platform/space-monitor.ts';
import { type BlobStore, BlobsFull } from './blob-store.ts';

/** The size of one disk write, and more than the last free blocks of a full disk. */
const TRIAL_BYTES = 1024 * 1024;

/** Wraps a store: after a write failed for lack of space, `check` fails until a trial write succeeds. */
export function monitoredBlobs(blobs: BlobStore): BlobStore {
  const monitor = new SpaceMonitor(
    (error) => error instanceof BlobsFull,
    () => tryWrite(blobs),
  );
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
