import { Readable } from 'node:stream';
import {
  type Database,
  type ReadTransaction,
  StorageUnavailable,
  type WriteTransaction,
} from '../storage/database.ts';
import { BlobMissing, type BlobStore } from './blob-store.ts';
import { claimPending } from './pending-store.ts';
import { Staging } from './staging.ts';

/** The store is not the one that the database has been used with. */
export class OtherBlobStore extends Error {
  override readonly name = 'OtherBlobStore';
}

type Storage = { readonly database: Database; readonly blobs: BlobStore };

/** Stands among the server's secrets, which every version has: the key of the marker, a blob that is in the one store. */
const REMEMBERED = 'blob store';

const MARKER =
  'This marks the blob store of an Atrium database, which refuses a store without it. Do not remove it.\n';

/** The key of the blob that marks the store which a database has been used with; undefined where none has been. */
export async function rememberedMarker(tx: ReadTransaction): Promise<string | undefined> {
  const row = await tx
    .selectFrom('server_secrets')
    .select('value')
    .where('name', '=', REMEMBERED)
    .executeTakeFirst();
  return row && Buffer.from(row.value).toString();
}

/**
 * Makes sure that the store is the one that the database has been used with; a database that remembers none remembers
 * this one from now on. Of several nodes that come first at once, one store is remembered, and each looks for its marker.
 * Rejects with OtherBlobStore, BlobsUnavailable or StorageUnavailable.
 */
export async function confirmStore({ database, blobs }: Storage): Promise<void> {
  const marker =
    (await database.read(rememberedMarker)) ?? (await mark({ database, blobs }, rememberedMarker));
  if (!(await hasMarker(blobs, marker)))
    throw new OtherBlobStore(`The blob store has no ${marker}, which marks that of the database`);
}

/** Takes the store for that of the database, whatever it remembers. Rejects with BlobsUnavailable or StorageUnavailable. */
export async function adoptStore(storage: Storage): Promise<void> {
  await mark(storage, async () => undefined);
}

/** Whether the store is that whose marker this is. Rejects with BlobsUnavailable. */
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
 * Marks the store and has the database remember that, unless it knows of another marker by then. The marker comes first,
 * noted as every blob on its way in, so that whoever dies in between leaves a database that remembers nothing. Answers
 * the marker that is remembered.
 */
async function mark(
  { database, blobs }: Storage,
  known: (tx: ReadTransaction) => Promise<string | undefined>,
): Promise<string> {
  const staged = await new Staging(database, blobs).stageBlob(Readable.from([Buffer.from(MARKER)]));
  const { blobKey } = staged.location;
  if (blobKey === null) throw new TypeError('The marker has no bytes');
  const remembered = await database.write(async (tx) => {
    await tx.lock(REMEMBERED);
    return (await known(tx)) ?? (await remember(tx, blobKey));
  });
  if (remembered !== blobKey) await staged.discard();
  return remembered;
}

async function remember(tx: WriteTransaction, marker: string): Promise<string> {
  if (!(await claimPending(tx, marker)))
    throw new StorageUnavailable('The marker of the blob store waited for too long and was given up');
  await tx.deleteFrom('server_secrets').where('name', '=', REMEMBERED).execute();
  const value = new Uint8Array(Buffer.from(marker));
  await tx.insertInto('server_secrets').values({ name: REMEMBERED, value }).execute();
  return marker;
}
