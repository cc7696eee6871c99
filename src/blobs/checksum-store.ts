import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { insertion } from '../storage/insertion.ts';
import { statement } from '../storage/statement.ts';

const insert = insertion('blob_checksums');

/** Keeps what the bytes of a blob come to, with the row that takes the blob over. */
export async function keepChecksum(tx: WriteTransaction, blobKey: string, checksum: number): Promise<void> {
  await insert(tx, { blob_key: blobKey, checksum });
}

const byKey = statement((tx, p: { blobKey: string }) =>
  tx.selectFrom('blob_checksums').select('checksum').where('blob_key', '=', p.blobKey),
);

/** What the bytes of a blob came to when they came in. */
export async function findChecksum(tx: ReadTransaction, blobKey: string): Promise<number | undefined> {
  const [row] = await byKey(tx, { blobKey });
  return row?.checksum;
}
