import { sql } from 'kysely';
import type { Database, ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { rowsInsertion } from '../storage/query/insertion.ts';
import { command, statement } from '../storage/query/statement.ts';

/** The `created_at` of an abandoned blob: earlier than any real time. */
const ABANDONED = 0;

/** A blob as its workspace notes it; "" is the installation. */
export interface NotedBlob {
  readonly workspaceId: string;
  readonly blobKey: string;
}

const insertRows = rowsInsertion(
  'pending_blobs',
  ['workspace_id', 'blob_key', 'created_at'],
  (insertion) => insertion,
);

/** Registers blobs for the sweep: released ones, and those that are about to be copied. */
export async function insertPending(
  tx: WriteTransaction,
  workspaceId: string,
  blobKeys: readonly string[],
  now: number,
): Promise<void> {
  await insertRows(
    tx,
    blobKeys.map((blobKey) => [workspaceId, blobKey, now]),
    {},
  );
}

/** PostgreSQL gives the time of its clock itself, so that nobody waits for it. */
const insertPresent = command((tx: WriteTransaction, p: NotedBlob & { now: number }) =>
  tx.insertInto('pending_blobs').values({
    workspace_id: p.workspaceId,
    blob_key: p.blobKey,
    created_at:
      tx.engine === 'sqlite' ? p.now : sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  }),
);

/** Registers a blob that is about to be written. */
export function notePending(tx: WriteTransaction, { workspaceId, blobKey }: NotedBlob): Promise<void> {
  return insertPresent(tx, { workspaceId, blobKey, now: Date.now() });
}

const claim = statement((tx: WriteTransaction, p: NotedBlob & { abandoned: number }) =>
  tx
    .deleteFrom('pending_blobs')
    .where('workspace_id', '=', p.workspaceId)
    .where('blob_key', '=', p.blobKey)
    .where('created_at', '!=', p.abandoned),
);

/**
 * Removes the pending row of a blob that a transaction takes over. Returns whether it existed and was not abandoned.
 */
export async function claimPending(
  tx: WriteTransaction,
  { workspaceId, blobKey }: NotedBlob,
): Promise<boolean> {
  return (await claim(tx, { workspaceId, blobKey, abandoned: ABANDONED })) > 0;
}

/** Marks a pending blob as abandoned: it can no longer be taken over. Returns whether it was pending. */
export async function abandonPending(
  tx: WriteTransaction,
  { workspaceId, blobKey }: NotedBlob,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('pending_blobs')
    .set({ created_at: ABANDONED })
    .where('workspace_id', '=', workspaceId)
    .where('blob_key', '=', blobKey)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Removes the pending row of a removed blob. */
export async function removePending(
  tx: WriteTransaction,
  { workspaceId, blobKey }: NotedBlob,
): Promise<void> {
  await tx
    .deleteFrom('pending_blobs')
    .where('workspace_id', '=', workspaceId)
    .where('blob_key', '=', blobKey)
    .execute();
}

/** Removes the pending rows of a blob, whichever workspaces have them. */
export async function removePendingAnywhere(tx: WriteTransaction, blobKey: string): Promise<void> {
  await tx.deleteFrom('pending_blobs').where('blob_key', '=', blobKey).execute();
}

/** The pending blobs registered before a time, of all workspaces. */
export async function listPending(tx: ReadTransaction, before: number): Promise<NotedBlob[]> {
  return tx
    .selectFrom('pending_blobs')
    .select(['workspace_id as workspaceId', 'blob_key as blobKey'])
    .where('created_at', '<', before)
    .execute();
}

/** The blobs of one workspace that share the next transaction, and those that are in the present one. */
interface Notes {
  last: Promise<unknown>;
  next: { keys: string[]; registered: Promise<void> } | undefined;
}

/**
 * Registers blobs that are about to be written. Requests of a workspace during a running transaction of it share the next
 * one.
 */
export class PendingRegistry {
  readonly #database: Database;
  readonly #byWorkspace = new Map<string, Notes>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when the registration is durable. Rejects with StorageUnavailable. */
  add({ workspaceId, blobKey }: NotedBlob): Promise<void> {
    const notes = this.#byWorkspace.getOrInsertComputed(workspaceId, () => ({
      last: Promise.resolve(),
      next: undefined,
    }));
    notes.next ??= this.#afterTheLast(workspaceId, notes);
    notes.next.keys.push(blobKey);
    return notes.next.registered;
  }

  #afterTheLast(workspaceId: string, notes: Notes): NonNullable<Notes['next']> {
    const keys: string[] = [];
    const registered = notes.last.then(() => {
      notes.next = undefined;
      return this.#database.write(async (tx) => {
        for (const blobKey of keys) await notePending(tx, { workspaceId, blobKey });
      });
    });
    // An error is reported to the callers of this transaction, not to those of the next.
    const last = registered
      .catch(() => undefined)
      .then(() => {
        if (notes.last === last && notes.next === undefined) this.#byWorkspace.delete(workspaceId);
      });
    notes.last = last;
    return { keys, registered };
  }
}
