import { invalidApiKey, type Principal } from '../../contract/principal.ts';
import { requireValues } from '../../contract/required-values.ts';
import { refuse } from '../../contract/validation.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DirectoryService, UserRef } from '../directory/service.ts';
import { keyChange } from './changes.ts';
import { findAccessOf, findKey, insertKey, lockOfKeys } from './key-store.ts';
import { permissionsOf } from './presets.ts';
import { expiryOf, isExpired, keyRecord, type Maker, newKeyRow, newSecret } from './record.ts';
import { endedKeyProblems, newKeyProblems } from './rules.ts';
import { type CreatedApiKey, GivenKey, NewApiKey, type OwnApiKey } from './schema.ts';

/** The calling key. Throws ApiError invalid_api_key if it was revoked meanwhile. */
export async function getOwnKey(tx: ReadTransaction, { workspaceId, keyId }: Principal): Promise<OwnApiKey> {
  const row = await findKey(tx, workspaceId, keyId);
  if (!row) throw invalidApiKey();
  const { id, name, user_id, permissions, expires_at = null } = keyRecord(row);
  return { id, name, user_id, permissions, expires_at };
}

/**
 * Creates a key on behalf of a key, for the given user, by default its own. Throws ApiError validation_failed, also
 * when the new key would outlive its maker; not_found for an unknown user; invalid_api_key when the maker is no
 * longer valid.
 */
export async function createKeyBy(
  tx: WriteTransaction,
  directory: DirectoryService,
  caller: Principal,
  given: NewApiKey,
): Promise<CreatedApiKey> {
  requireValues(NewApiKey, given);
  const { workspaceId, userId, keyId } = caller;
  // Serialized with revokeKey: after a key and all that it made were revoked, it can make no further key.
  await tx.lock(lockOfKeys(workspaceId));
  const maker = await findAccessOf(tx, workspaceId, keyId);
  if (!maker || isExpired(maker)) throw invalidApiKey();
  refuse(newKeyProblems(given, expiryOf(maker)));
  const owner = { workspaceId, userId: given.user_id ?? userId };
  const { name, permissions, preset, expires_at } = given;
  const granted = preset === undefined ? permissions : permissionsOf(preset, caller.permissions);
  const key = { name, permissions: granted ?? [], ...(expires_at !== undefined && { expires_at }) };
  return createKey(tx, directory, owner, key, { secret: newSecret(), maker });
}

/**
 * Creates a key that acts as the user. The secret is returned only here. Throws ApiError validation_failed, and not_found
 * for an unknown user.
 */
export async function createKey(
  tx: WriteTransaction,
  directory: DirectoryService,
  owner: UserRef,
  given: GivenKey,
  origin: { secret: string; maker: Maker | undefined },
): Promise<CreatedApiKey> {
  requireValues(GivenKey, given);
  // Checked here and not before: a repeated request gets the first answer even if that key has expired since.
  refuse(endedKeyProblems(given));
  await directory.getUser(tx, owner.workspaceId, owner.userId);
  const row = newKeyRow(owner, given, origin);
  await insertKey(tx, row);
  tx.emit(keyChange(owner, 'api_key.created', { key_id: row.id }));
  return { ...keyRecord(row), key: origin.secret };
}
