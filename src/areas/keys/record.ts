import type { Principal } from '../../api/authentication.ts';
import { newId } from '../../ids.ts';
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
  };
}

export function newKeyRow({ workspaceId, userId }: UserRef, given: NewApiKey, secret: string): ApiKeyRow {
  return {
    workspace_id: workspaceId,
    id: newId('key'),
    user_id: userId,
    name: given.name,
    secret_hash: hashOf(secret),
    permissions: JSON.stringify(given.permissions),
    created_at: Date.now(),
    expires_at: given.expires_at === undefined ? null : Date.parse(given.expires_at),
    revoked_at: null,
  };
}

export function principalOf(row: AccessRow): Principal {
  return {
    workspaceId: row.workspace_id,
    userId: row.user_id,
    keyId: row.id,
    permissions: new Set(JSON.parse(row.permissions)),
    expiresAt: row.expires_at ?? Number.POSITIVE_INFINITY,
  };
}
