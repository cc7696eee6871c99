import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';

/** The time of a blob that is given up: earlier than any other. */
const GIVEN_UP = 0;

/** Notes a blob that is about to be written, so that it is found when nothing takes it over. */
export async function insertPending(tx: WriteTransaction, blobKey: string, now: number): Promise<void> {
  await tx.insertInto('pending_blobs').values({ blob_key: blobKey, created_at: now }).execute();
}

/** Ends the note of a blob that is taken over. Answers whether it was still there and not given up. */
export async function claimPending(tx: WriteTransaction, blobKey: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('pending_blobs')
    .where('blob_key', '=', blobKey)
    .where('created_at', '!=', GIVEN_UP)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Gives a blob up that nothing has taken over: nothing can any more. Answers whether there was a note of it. */
export async function giveUpPending(tx: WriteTransaction, blobKey: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('pending_blobs')
    .set({ created_at: GIVEN_UP })
    .where('blob_key', '=', blobKey)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Ends the note of a blob that is gone. */
export async function forgetPending(tx: WriteTransaction, blobKey: string): Promise<void> {
  await tx.deleteFrom('pending_blobs').where('blob_key', '=', blobKey).execute();
}

/** The blobs noted before a time that nothing has taken over. */
export async function listPending(tx: ReadTransaction, before: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('pending_blobs')
    .select('blob_key')
    .where('created_at', '<', before)
    .execute();
  return rows.map((row) => row.blob_key);
}
