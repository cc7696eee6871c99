import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';

/** Stands among the server's secrets, which every version has, as long as what is there is not whole. */
const MARK = 'restore under way';

/** Notes that a restore has begun. */
export async function markRestoring(tx: WriteTransaction): Promise<void> {
  await tx
    .insertInto('server_secrets')
    .values({ name: MARK, value: new Uint8Array(0) })
    .execute();
}

/** Notes that it has come to its end. */
export async function unmarkRestoring(tx: WriteTransaction): Promise<void> {
  await tx.deleteFrom('server_secrets').where('name', '=', MARK).execute();
}

/** Whether a restore has begun and not come to its end. */
export async function isRestoring(tx: ReadTransaction): Promise<boolean> {
  const found = await tx.selectFrom('server_secrets').select('name').where('name', '=', MARK).execute();
  return found.length > 0;
}
