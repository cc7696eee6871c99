import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { newId } from '../ids.ts';
import { RoomMemory } from '../room-memory.ts';
import { type BlobStore, BlobsFull } from './blob-store.ts';

/** As much as is written to a disk at once, and more than its last free blocks. */
const TRIED_BYTES = 1024 * 1024;

/** The store, which says that it does not serve from when something found no room until there is some. */
export function rememberingRoom(blobs: BlobStore): BlobStore {
  const room = new RoomMemory(
    (error) => error instanceof BlobsFull,
    () => tryRoom(blobs),
  );
  return {
    ...blobs,
    put: (key, content) => room.watch(() => blobs.put(key, content)),
    begin: (key) => room.watch(() => blobs.begin(key)),
    putPart: (blob, place, content) => room.watch(() => blobs.putPart(blob, place, content)),
    complete: (blob, tags) => room.watch(() => blobs.complete(blob, tags)),
    check: async () => {
      await blobs.check();
      await room.check();
    },
  };
}

async function tryRoom(blobs: BlobStore): Promise<void> {
  const key = newId('blob');
  await blobs.put(key, Readable.from([randomBytes(TRIED_BYTES)]));
  await blobs.remove(key);
}
