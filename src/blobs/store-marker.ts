import { Readable } from 'node:stream';
import {
  type Database,
  type ReadTransaction,
  StorageUnavailable,
  type WriteTransaction,
} from '../storage/database.ts';
import { BlobMissing, type BlobStore, BlobsUnavailable } from './blob-store.ts';
import { claimPending } from './pending-store.ts';
import { Staging } from './staging.ts';

/** The store is not the one that the database has been used with. */
export class WrongBlobStore extends Error {
  override readonly name = 'WrongBlobStore';
}

type Storage = { readonly database: Database; readonly blobs: BlobStore };

/** The name of the marker's key in `server_secrets`, a table that the databases of all versions have. */
const SECRET_NAME = 'blob store';

const MARKER_TEXT =
  'This marks the blob store of an Atrium database, which refuses a store without it. Do not remove it.\n';

/** The key of the blob that marks the store of this database; undefined where the database has not had a store yet. */
export async function findMarker(tx: ReadTransaction): Promise<string | undefined> {
  const row = await tx
    .selectFrom('server_secrets')
    .select('value')
    .where('name', '=', SECRET_NAME)
    .executeTakeFirst();
  return row && Buffer.from(row.value).toString();
}

/**
 * Checks that the store is the one that the database has been used with. A database without a store takes this one: of
 * several nodes that start for the first time at once, one writes its marker into the database, and the others look for
 * that marker in their stores. Rejects with WrongBlobStore, BlobsUnavailable or StorageUnavailable.
 */
export async function checkMarker({ database, blobs }: Storage): Promise<void> {
  const marker = (await database.read(findMarker)) ?? (await writeMarker({ database, blobs }, findMarker));
  if (!(await hasMarker(blobs, marker)))
    throw new WrongBlobStore(`The blob store has no ${marker}, which marks that of the database`);
}

/** Makes the store that of the database, whichever it was before. Rejects with BlobsUnavailable or StorageUnavailable. */
export async function adoptStore(storage: Storage): Promise<void> {
  await writeMarker(storage, async () => undefined);
}

/** Whether the store holds this marker. Rejects with BlobsUnavailable. */
export async function hasMarker(blobs: BlobStore, marker: string): Promise<boolean> {
  try {
    for await (const _ of await blobs.get(marker));
    return true;
  } catch (error) {
    if (error instanceof BlobMissing) return false;
    throw error;
  }
}

/**
 * Writes a marker into the store and its key into the database, unless `find` finds another one there by then. The blob is
 * written first, and noted as pending like every other: after a crash in between, the database has no marker and the blob is
 * swept. Answers the key that the database has.
 */
async function writeMarker(
  { database, blobs }: Storage,
  find: (tx: ReadTransaction) => Promise<string | undefined>,
): Promise<string> {
  const staged = await new Staging(database, blobs).stageBlob(Readable.from([Buffer.from(MARKER_TEXT)]));
  const { blobKey } = staged.location;
  if (blobKey === null) throw new TypeError('The marker has no bytes');
  const marker = await database.write(async (tx) => {
    await tx.lock(SECRET_NAME);
    return (await find(tx)) ?? (await saveMarker(tx, blobKey));
  });
  if (marker !== blobKey) await staged.discard();
  return marker;
}

async function saveMarker(tx: WriteTransaction, marker: string): Promise<string> {
  if (!(await claimPending(tx, marker)))
    throw new StorageUnavailable('The marker of the blob store waited for too long and was given up');
  await tx.deleteFrom('server_secrets').where('name', '=', SECRET_NAME).execute();
  const value = new Uint8Array(Buffer.from(marker));
  await tx.insertInto('server_secrets').values({ name: SECRET_NAME, value }).execute();
  return marker;
}

/**
 * The same store, which calls `check` before its first use and passes nothing on until that has resolved once. So a node
 * can start while its store is away, and never uses another store than that of its database.
 */
export function checkedBeforeUse(blobs: BlobStore, check: () => Promise<void>): BlobStore {
  const checked = untilResolved(check);
  const after =
    <Arguments extends unknown[], Result>(call: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      await checked();
      return call(...given);
    };
  return {
    put: after(blobs.put),
    get: after(blobs.get),
    remove: after(blobs.remove),
    begin: after(blobs.begin),
    putPart: after(blobs.putPart),
    complete: after(blobs.complete),
    abort: after(blobs.abort),
    free: after(blobs.free),
    check: after(blobs.check),
  };
}

/** InFlightCalls `check` until it has resolved once. InFlightCalls that come while it runs wait for the same run. */
function untilResolved(check: () => Promise<void>): () => Promise<void> | undefined {
  let hasResolved = false;
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      await check();
      hasResolved = true;
    } catch (error) {
      throw error instanceof WrongBlobStore ? new BlobsUnavailable(error.message, { cause: error }) : error;
    } finally {
      running = undefined;
    }
  };
  return () => {
    if (hasResolved) return undefined;
    running ??= run();
    return running;
  };
}
