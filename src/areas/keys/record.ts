import type { Principal } from '../../contract/principal.ts';
import { newId } from '../../platform/ids.ts';
import type { UserRef } from '../directory/service.ts';
import type { ApiKey, NewApiKey } from './schema.ts';
import { hashOf } from './secret.ts';
import type { AccessRow, ApiKeyRow } from './store.ts';

/** The key as the API shows it. */
export function keyRecord(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    user_id: row.user_id,
    permissions: JSON.parse(row.permissions),
    created_at: new Date(row.created_at).toISOString(),
    ...(row.expires_at !== null && { expires_at: new Date(row.expires_at).toISOString() }),
    ...(row.made_by !== null && { made_by: row.made_by }),
  };
}

/** The row of a new key; one that a key makes ends with that, unless it is given an end. */
export function newKeyRow(
  { workspaceId, userId }: UserRef,
  given: NewApiKey,
  { secret, maker }: { secret: string; maker: Maker | undefined },
): ApiKeyRow {
  return {
    workspace_id: workspaceId,
    id: newId('key'),
    user_id: userId,
    name: given.name,
    secret_hash: hashOf(secret),
    permissions: JSON.stringify(given.permissions),
    created_at: Date.now(),
    expires_at: given.expires_at === undefined ? (maker?.expires_at ?? null) : Date.parse(given.expires_at),
    revoked_at: null,
    made_by: maker?.id ?? null,
  };
}

/** What a new key takes over of the key that makes it. */
export type Maker = Pick<AccessRow, 'id' | 'expires_at'>;

export function principalOf(row: AccessRow): Principal {
  return {
    workspaceId: row.workspace_id,
    userId: row.user_id,
    keyId: row.id,
    permissions: new Set(JSON.parse(row.permissions)),
    expiresAt: endOf(row),
  };
}

/** When a key ends, in milliseconds since the epoch. */
export function endOf({ expires_at: expiresAt }: Maker): number {
  return expiresAt ?? Number.POSITIVE_INFINITY;
}

export function hasEnded(key: Maker): boolean {
  return endOf(key) <= Date.now();
}
