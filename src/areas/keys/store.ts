import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import type { ApiKeys as ApiKeyRow } from '../../storage/tables.ts';

export type { ApiKeyRow };

/** The live and the expired keys of a user after an id, in order of id. */
export async function listKeys(
  tx: ReadTransaction,
  workspaceId: string,
  userId: string,
  after: string,
  limit: number,
): Promise<ApiKeyRow[]> {
  return tx
    .selectFrom('api_keys')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('id', '>', after)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function insertKey(tx: WriteTransaction, key: ApiKeyRow): Promise<void> {
  await tx.insertInto('api_keys').values(key).execute();
}

/** Revokes a key, of this user when one is named; false when there is none such. A revoked one stays as it is. */
export async function revokeKey(
  tx: WriteTransaction,
  workspaceId: string,
  id: string,
  userId: string | undefined,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(Date.now())) }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What a live key of an active user allows. */
export interface AccessRow {
  workspace_id: string;
  user_id: string;
  id: string;
  permissions: string;
  expires_at: number | null;
}

/** Finds a key that is not revoked, and whose user is not suspended, by the hash of its secret. */
export async function findAccess(tx: ReadTransaction, secretHash: string): Promise<AccessRow | undefined> {
  const [row] = await selectAccess(tx, { secretHash });
  return row;
}

const selectAccess = statement((tx, p: { secretHash: string }) =>
  tx
    .selectFrom('api_keys as k')
    .innerJoin('users as u', (join) =>
      join.onRef('u.workspace_id', '=', 'k.workspace_id').onRef('u.id', '=', 'k.user_id'),
    )
    .select(['k.workspace_id', 'k.user_id', 'k.id', 'k.permissions', 'k.expires_at'])
    .where('k.secret_hash', '=', p.secretHash)
    .where('k.revoked_at', 'is', null)
    .where('u.state', '=', 'active'),
);
