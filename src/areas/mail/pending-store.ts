import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';

/** Notes a blob that is about to be written, so that it is found when no message takes it over. */
export async function insertPending(tx: WriteTransaction, blobKey: string, now: number): Promise<void> {
  await tx.insertInto('pending_blobs').values({ blob_key: blobKey, created_at: now }).execute();
}

/** Ends the note: a message has taken the blob over, or it is gone. */
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
