import { sql } from 'kysely';
import type { Database, ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { textsIn } from '../storage/query/json-parameters.ts';
import { statement } from '../storage/query/statement.ts';

/** The `created_at` of an abandoned blob: earlier than any real time. */
const ABANDONED = 0;

const insert = statement((tx: WriteTransaction, p: { blobKeys: string; now: number }) =>
  tx
    .insertInto('pending_blobs')
    .columns(['blob_key', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom(textsIn(tx, p.blobKeys, 'b'))
        .select(['b.value', sql<number>`cast(${p.now} as bigint)`.as('created_at')]),
    ),
);

/** Registers blobs that are about to be written, so that the sweep finds those that no transaction takes over. */
async function insertPending(tx: WriteTransaction, blobKeys: readonly string[], now: number): Promise<void> {
  await insert(tx, { blobKeys: JSON.stringify(blobKeys), now });
}

const claim = statement((tx: WriteTransaction, p: { blobKey: string; abandoned: number }) =>
  tx.deleteFrom('pending_blobs').where('blob_key', '=', p.blobKey).where('created_at', '!=', p.abandoned),
);

/**
 * Removes the pending row of a blob that a transaction takes over. Returns whether it existed and was not abandoned.
 */
export async function claimPending(tx: WriteTransaction, blobKey: string): Promise<boolean> {
  return (await claim(tx, { blobKey, abandoned: ABANDONED })) > 0;
}

/** Marks a pending blob as abandoned: it can no longer be taken over. Returns whether it was pending. */
export async function abandonPending(tx: WriteTransaction, blobKey: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('pending_blobs')
    .set({ created_at: ABANDONED })
    .where('blob_key', '=', blobKey)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Removes the pending row of a removed blob. */
export async function removePending(tx: WriteTransaction, blobKey: string): Promise<void> {
  await tx.deleteFrom('pending_blobs').where('blob_key', '=', blobKey).execute();
}

/** The pending blobs registered before a time. */
export async function listPending(tx: ReadTransaction, before: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('pending_blobs')
    .select('blob_key')
    .where('created_at', '<', before)
    .execute();
  return rows.map((row) => row.blob_key);
}

/** Registers blobs that are about to be written. Requests during a running transaction share the next one. */
export class PendingRegistry {
  readonly #database: Database;
  #last: Promise<unknown> = Promise.resolve();
  #next: { keys: string[]; registered: Promise<void> } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when the registration is durable. Rejects with StorageUnavailable. */
  add(blobKey: string): Promise<void> {
    this.#next ??= this.#afterTheLast();
    this.#next.keys.push(blobKey);
    return this.#next.registered;
  }

  #afterTheLast(): { keys: string[]; registered: Promise<void> } {
    const keys: string[] = [];
    const registered = this.#last.then(() => {
      this.#next = undefined;
      return this.#database.write(async (tx) => insertPending(tx, keys, await tx.now()));
    });
    // An error is reported to the callers of this transaction, not to those of the next.
    this.#last = registered.catch(() => undefined);
    return { keys, registered };
  }
}
