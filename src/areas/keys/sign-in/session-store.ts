import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { isAmong } from '../../../storage/query/json-parameters.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { ApiKeys } from '../../../storage/schema/tables.ts';

/** A session that has ended, with whose it was. */
export type EndedSession = Pick<ApiKeys, 'workspace_id' | 'id' | 'user_id' | 'revoked_at'>;

/** Sessions that keys or webhooks name as their maker are kept: who revokes one finds what it made. */
function removable(tx: ReadTransaction) {
  return tx
    .selectFrom('api_keys as k')
    .select(['k.workspace_id', 'k.id', 'k.user_id', 'k.revoked_at'])
    .where('k.kind', '=', sql.lit('session' as const))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('api_keys as m')
            .select('m.id')
            .whereRef('m.workspace_id', '=', 'k.workspace_id')
            .whereRef('m.made_by', '=', 'k.id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhooks as w')
            .select('w.id')
            .whereRef('w.workspace_id', '=', 'k.workspace_id')
            .whereRef('w.user_id', '=', 'k.user_id')
            .whereRef('w.key_id', '=', 'k.id'),
        ),
      ),
    );
}

const expired = statement((tx, p: { now: number; most: number }) =>
  removable(tx).where('k.expires_at', '<=', p.now).orderBy('k.expires_at').limit(sql<number>`0 + ${p.most}`),
);

const revoked = statement((tx, p: { before: number; most: number }) =>
  removable(tx)
    .where('k.revoked_at', '<=', p.before)
    .orderBy('k.revoked_at')
    .limit(sql<number>`0 + ${p.most}`),
);

/** Sessions of all workspaces that have expired, or were revoked before a time; at most so many of each, each once. */
export async function listEnded(
  tx: ReadTransaction,
  { now, revokedBefore: before }: { now: number; revokedBefore: number },
  most: number,
): Promise<EndedSession[]> {
  const found = [...(await expired(tx, { now, most })), ...(await revoked(tx, { before, most }))];
  return [...new Map(found.map((session) => [session.id, session])).values()];
}

interface Keys {
  workspaceId: string;
  /** JSON array. */
  ids: string;
}

const removeSessions = command((tx: WriteTransaction, p: Keys) =>
  tx
    .deleteFrom('sessions')
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'key_id', p.ids)),
);

const removeKeys = command((tx: WriteTransaction, p: Keys) =>
  tx
    .deleteFrom('api_keys')
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'id', p.ids)),
);

/** Removes sessions of a workspace with the API keys that they are. */
export async function removeSessionKeys(
  tx: WriteTransaction,
  workspaceId: string,
  keyIds: readonly string[],
): Promise<void> {
  const ids = JSON.stringify(keyIds);
  await removeSessions(tx, { workspaceId, ids });
  await removeKeys(tx, { workspaceId, ids });
}

const sessionsBehind = statement((tx, p: { workspaceId: string; userId: string; newest: number }) =>
  tx
    .selectFrom('api_keys')
    .select('id')
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('kind', '=', sql.lit('session' as const))
    .where('revoked_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(sql.lit(MOST_ENDED_AT_ONCE))
    .offset(sql<number>`0 + ${p.newest}`),
);

const MOST_ENDED_AT_ONCE = 100;

/** The sessions of a user that are not revoked, without the newest; at most a hundred. */
export async function listSessionsBehind(
  tx: ReadTransaction,
  owner: { workspaceId: string; userId: string },
  newest: number,
): Promise<string[]> {
  const { workspaceId, userId } = owner;
  return (await sessionsBehind(tx, { workspaceId, userId, newest })).map(({ id }) => id);
}
