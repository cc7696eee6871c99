import { type BlobStore, BlobsUnavailable } from './blob-store.ts';
import { OtherBlobStore } from './store-memory.ts';

/**
 * The store, of which nothing is asked before `confirm` has resolved once. So a node may start while its store is away,
 * and still serves from no other than the one that is meant.
 */
export function confirmedFirst(blobs: BlobStore, confirm: () => Promise<void>): BlobStore {
  const confirmed = onceResolved(confirm);
  const first =
    <Arguments extends unknown[], Answer>(call: (...given: Arguments) => Promise<Answer>) =>
    async (...given: Arguments): Promise<Answer> => {
      await confirmed();
      return call(...given);
    };
  return {
    put: first(blobs.put),
    get: first(blobs.get),
    remove: first(blobs.remove),
    begin: first(blobs.begin),
    putPart: first(blobs.putPart),
    complete: first(blobs.complete),
    abort: first(blobs.abort),
    free: first(blobs.free),
    check: first(blobs.check),
  };
}

/** Calls until it has resolved; who comes meanwhile shares the call. */
function onceResolved(confirm: () => Promise<void>): () => Promise<void> | undefined {
  let isConfirmed = false;
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      await confirm();
      isConfirmed = true;
    } catch (error) {
      throw error instanceof OtherBlobStore ? new BlobsUnavailable(error.message, { cause: error }) : error;
    } finally {
      running = undefined;
    }
  };
  return () => {
    if (isConfirmed) return undefined;
    running ??= run();
    return running;
  };
}
