import type { ReadTransaction, WorkspaceLock, WriteTransaction } from '../../storage/database.ts';
import { isOfWorkspace } from '../../storage/query/of-workspace.ts';
import { statement } from '../../storage/query/statement.ts';
import type { ApiKeys as ApiKeyRow } from '../../storage/schema/tables.ts';

export type { ApiKeyRow };

/** The keys of a user that are not revoked (expired ones included) after an id, in order of id. */
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
  if (key.kind !== null) return;
  const { secret_hash, workspace_id } = key;
  await tx.insertInto('key_workspaces').values({ secret_hash, workspace_id }).execute();
}

/** The user and the permissions of a key: the data that a revocation checks. */
export type GrantRow = Pick<ApiKeyRow, 'user_id' | 'permissions'>;

/** The user and permissions of a key, revoked or not; undefined when there is none. */
export async function findGrant(
  tx: ReadTransaction,
  workspaceId: string,
  id: string,
): Promise<GrantRow | undefined> {
  return tx
    .selectFrom('api_keys')
    .select(['user_id', 'permissions'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The distinct users and permissions of a key and of all keys that it has made, directly or indirectly. */
export async function findGrantsOfMade(
  tx: ReadTransaction,
  workspaceId: string,
  id: string,
): Promise<GrantRow[]> {
  return keysMadeBy(tx, workspaceId, id)
    .selectFrom('api_keys')
    .select(['user_id', 'permissions'])
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', (eb) => eb.selectFrom('made').select('made.id'))
    .execute();
}

/** A key that is not revoked. */
export function findKey(
  tx: ReadTransaction,
  workspaceId: string,
  id: string,
): Promise<ApiKeyRow | undefined> {
  return tx
    .selectFrom('api_keys')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

/**
 * Revokes a key and, with `andMade`, all keys that it has made, directly or indirectly. Skips and does not answer revoked
 * keys.
 */
export async function revokeKeys(
  tx: WriteTransaction,
  workspaceId: string,
  id: string,
  andMade: boolean,
): Promise<Pick<ApiKeyRow, 'id' | 'user_id'>[]> {
  return keysMadeBy(tx, workspaceId, id)
    .updateTable('api_keys')
    .set({ revoked_at: Date.now() })
    .where('workspace_id', '=', workspaceId)
    .$if(andMade, (query) => query.where('id', 'in', (eb) => eb.selectFrom('made').select('made.id')))
    .$if(!andMade, (query) => query.where('id', '=', id))
    .where('revoked_at', 'is', null)
    .returning(['id', 'user_id'])
    .execute();
}

/** Revokes the sessions that were opened with a key itself. */
export async function revokeSessionsOpenedBy(
  tx: WriteTransaction,
  workspaceId: string,
  id: string,
): Promise<Pick<ApiKeyRow, 'id' | 'user_id'>[]> {
  return tx
    .updateTable('api_keys')
    .set({ revoked_at: Date.now() })
    .where('workspace_id', '=', workspaceId)
    .where('made_by', '=', id)
    .where('kind', '=', 'session')
    .where('revoked_at', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('sessions as s')
          .select('s.key_id')
          .where('s.workspace_id', '=', workspaceId)
          .whereRef('s.key_id', '=', 'api_keys.id')
          .where('s.ends_with_maker', '=', 1),
      ),
    )
    .returning(['id', 'user_id'])
    .execute();
}

/** The lock that serializes creation and revocation of keys in a workspace. */
export function lockOfKeys(workspaceId: string): WorkspaceLock {
  return { workspaceId, scope: `keys of ${workspaceId}` };
}

/**
 * CTE `made`: the ids of a key and of all keys it has made, directly or indirectly. UNION ends the recursion on a
 * cycle.
 */
function keysMadeBy<Tx extends ReadTransaction>(tx: Tx, workspaceId: string, id: string) {
  return tx.withRecursive('made(id)', (query) =>
    query
      .selectFrom('api_keys')
      .select('api_keys.id')
      .where('api_keys.workspace_id', '=', workspaceId)
      .where('api_keys.id', '=', id)
      .union((next) =>
        next
          .selectFrom('api_keys')
          .innerJoin('made', 'made.id', 'api_keys.made_by')
          .select('api_keys.id')
          .where('api_keys.workspace_id', '=', workspaceId),
      ),
  );
}

/** The access that a key grants: not revoked, of an active user. */
export interface AccessRow {
  workspace_id: string;
  user_id: string;
  id: string;
  permissions: string;
  expires_at: number | null;
}

/** Finds a key that is not revoked and whose user is active, by the hash of its secret. */
export async function findAccess(tx: ReadTransaction, secretHash: string): Promise<AccessRow | undefined> {
  const [home] = await selectWorkspace(tx, { secretHash });
  const [row] = home ? await selectAccess(tx, { workspaceId: home.workspace_id, secretHash }) : [];
  return row;
}

/** As findAccess, by the id of the key. */
export async function findAccessOf(
  tx: ReadTransaction,
  workspaceId: string,
  id: string,
): Promise<AccessRow | undefined> {
  return liveKeys(tx).where('k.workspace_id', '=', workspaceId).where('k.id', '=', id).executeTakeFirst();
}

const selectWorkspace = statement((tx, p: { secretHash: string }) =>
  tx.selectFrom('key_workspaces').select('workspace_id').where('secret_hash', '=', p.secretHash),
);

const selectAccess = statement((tx, p: { workspaceId: string; secretHash: string }) =>
  liveKeys(tx)
    .where(isOfWorkspace(tx, 'k.workspace_id', p))
    .where('k.secret_hash', '=', p.secretHash),
);

function liveKeys(tx: ReadTransaction) {
  return tx
    .selectFrom('api_keys as k')
    .innerJoin('users as u', (join) =>
      join.onRef('u.workspace_id', '=', 'k.workspace_id').onRef('u.id', '=', 'k.user_id'),
    )
    .select(['k.workspace_id', 'k.user_id', 'k.id', 'k.permissions', 'k.expires_at'])
    .where('k.revoked_at', 'is', null)
    .where('u.state', '=', 'active');
}
