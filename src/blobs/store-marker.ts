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

/** The blob store does not belong to the database. */
export class WrongBlobStore extends Error {
  override readonly name = 'WrongBlobStore';
}

type Storage = { readonly database: Database; readonly blobs: BlobStore };

/** The name under which `server_secrets`, a table of all versions, has the key of the marker. */
const SECRET_NAME = 'blob store';
/** Whose the marker is: no workspace's. */
const INSTALLATION = '';

const MARKER_TEXT =
  'This marks the blob store of an Atrium database, which refuses a store without it. Do not remove it.\n';

/** The key of the blob that marks the store of this database; undefined when the database has no store yet. */
export async function findMarker(tx: ReadTransaction): Promise<string | undefined> {
  const row = await tx
    .selectFrom('server_secrets')
    .select('value')
    .where('name', '=', SECRET_NAME)
    .executeTakeFirst();
  return row && Buffer.from(row.value).toString();
}

/**
 * Checks that the store belongs to the database. A database without a store adopts this one: when several nodes start
 * for the first time at once, one writes its marker into the database, and the others check their stores for it.
 * Rejects with WrongBlobStore, BlobsUnavailable or StorageUnavailable.
 */
export async function checkMarker({ database, blobs }: Storage): Promise<void> {
  const marker = (await database.read(findMarker)) ?? (await writeMarker({ database, blobs }, findMarker));
  if (!(await hasMarker(blobs, marker)))
    throw new WrongBlobStore(`The blob store has no ${marker}, which marks that of the database`);
}

/**
 * Makes this the store of the database, replacing an earlier one. Rejects with BlobsUnavailable or StorageUnavailable.
 */
export async function adoptStore(storage: Storage): Promise<void> {
  await writeMarker(storage, async () => undefined);
}

/** Whether the store has this marker. Rejects with BlobsUnavailable. */
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
 * Writes a marker into the store and its key into the database, unless `find` finds another key there meanwhile. The
 * blob is written first and registered as pending like every other: after a crash in between, the database has no
 * marker, and the blob is swept. Returns the key that the database has.
 */
async function writeMarker(
  { database, blobs }: Storage,
  find: (tx: ReadTransaction) => Promise<string | undefined>,
): Promise<string> {
  const staged = await new Staging(database, blobs).stageBlob(
    Readable.from([Buffer.from(MARKER_TEXT)]),
    INSTALLATION,
  );
  const { blobKey } = staged.location;
  if (blobKey === null) throw new TypeError('The marker has no bytes');
  const marker = await database.write(async (tx) => {
    await tx.lockInstallation(SECRET_NAME);
    return (await find(tx)) ?? (await saveMarker(tx, blobKey));
  });
  if (marker !== blobKey) await staged.discard();
  return marker;
}

async function saveMarker(tx: WriteTransaction, marker: string): Promise<string> {
  if (!(await claimPending(tx, { workspaceId: INSTALLATION, blobKey: marker })))
    throw new StorageUnavailable('The marker of the blob store waited for too long and was given up');
  await tx.deleteFrom('server_secrets').where('name', '=', SECRET_NAME).execute();
  const value = new Uint8Array(Buffer.from(marker));
  await tx.insertInto('server_secrets').values({ name: SECRET_NAME, value }).execute();
  return marker;
}

/**
 * Wraps a store: forwards no call until `check`, run before the first use, has resolved once. So a node can start while
 * its store is unavailable, and never uses a store of another database.
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

/** Calls `check` until it has resolved once. Calls during a run wait for the same run. */
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
