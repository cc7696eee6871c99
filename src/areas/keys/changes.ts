import { KEYS_AUDIENCE } from '../../storage/changes.ts';
import type { Change } from '../../storage/database.ts';
import type { UserRef } from '../directory/service.ts';

/** A change of a key, for its user and for whoever administrates keys. */
export function keyChange(
  { workspaceId, userId }: UserRef,
  type: 'api_key.created' | 'api_key.revoked',
  ids: Readonly<Record<string, string>>,
): Change {
  return { workspaceId, type, viewers: [userId, KEYS_AUDIENCE], ids };
}
