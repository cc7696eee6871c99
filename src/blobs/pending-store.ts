import { sql } from 'kysely';
import type { Database, ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { textsIn } from '../storage/query/json-parameters.ts';
import { statement } from '../storage/query/statement.ts';

/** The time of a blob that is given up: earlier than any other. */
const GIVEN_UP = 0;

const insert = statement((tx: WriteTransaction, p: { blobKeys: string; now: number }) =>
  tx
    .insertInto('pending_blobs')
    .columns(['blob_key', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom(textsIn(tx, p.blobKeys, 'noted'))
        .select(['noted.value', sql<number>`cast(${p.now} as bigint)`.as('created_at')]),
    ),
);

/** Notes blobs that are about to be written, so that they are found when nothing takes them over. */
async function insertPending(tx: WriteTransaction, blobKeys: readonly string[], now: number): Promise<void> {
  await insert(tx, { blobKeys: JSON.stringify(blobKeys), now });
}

const claim = statement((tx: WriteTransaction, p: { blobKey: string; givenUp: number }) =>
  tx.deleteFrom('pending_blobs').where('blob_key', '=', p.blobKey).where('created_at', '!=', p.givenUp),
);

/** Ends the note of a blob that is taken over. Answers whether it was still there and not given up. */
export async function claimPending(tx: WriteTransaction, blobKey: string): Promise<boolean> {
  return (await claim(tx, { blobKey, givenUp: GIVEN_UP })) > 0;
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

/** Notes blobs that are about to be written. Those that come while others are being noted share one transaction. */
export class PendingNotes {
  readonly #database: Database;
  #last: Promise<unknown> = Promise.resolve();
  #next: { keys: string[]; noted: Promise<void> } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when the note is durable. Rejects with StorageUnavailable. */
  add(blobKey: string): Promise<void> {
    this.#next ??= this.#afterTheLast();
    this.#next.keys.push(blobKey);
    return this.#next.noted;
  }

  #afterTheLast(): { keys: string[]; noted: Promise<void> } {
    const keys: string[] = [];
    const noted = this.#last.then(() => {
      this.#next = undefined;
      return this.#database.write(async (tx) => insertPending(tx, keys, await tx.now()));
    });
    // Whoever asked is told; those who come next are not.
    this.#last = noted.catch(() => undefined);
    return { keys, noted };
  }
}
