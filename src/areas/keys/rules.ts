import { missingPermission } from '../../contract/errors.ts';
import type { Problem } from '../../contract/operation.ts';
import { type Principal, requirePermission } from '../../contract/principal.ts';
import type { NewApiKey } from './schema.ts';
import type { GrantRow } from './store.ts';

/** Throws ApiError insufficient_scope for the keys of someone else, unless the caller manages the directory. */
export function permitKeysOf(userId: string | string[], principal: Principal): void {
  if (userId !== principal.userId) requirePermission(principal, 'directory.write');
}

/** Whether a key is one that the caller may know of. */
export function reaches({ userId, permissions }: Principal, key: GrantRow): boolean {
  return key.user_id === userId || permissions.has('directory.write');
}

/** "Grants nothing that the caller lacks." Throws ApiError insufficient_scope. */
export function permitGrants({ permissions = [] }: Partial<NewApiKey>, principal: Principal): void {
  const missing = permissions.find((permission) => !principal.permissions.has(permission));
  if (missing !== undefined) throw missingPermission(missing);
}

/** Throws ApiError insufficient_scope unless the caller may itself do all that each of these keys may. */
export function permitRevocation(grants: readonly GrantRow[], principal: Principal): void {
  for (const { user_id: userId, permissions } of grants) {
    permitKeysOf(userId, principal);
    permitGrants({ permissions: JSON.parse(permissions) }, principal);
  }
}

/** What the schema cannot say of a new key, whenever it is asked for. */
export function newKeyProblems({ expires_at: expiresAt }: Partial<NewApiKey>, makerEnds: number): Problem[] {
  // What is no time that can be compared is refused as one that is over.
  if (expiresAt === undefined || !(Date.parse(expiresAt) > makerEnds)) return [];
  const end = new Date(makerEnds).toISOString();
  const message = `Must be no later than the end of the key that makes it, ${end}.`;
  return [{ pointer: '/expires_at', code: 'not_allowed', message }];
}

/** That a new key has an end which is over. */
export function endedKeyProblems({ expires_at: expiresAt }: NewApiKey): Problem[] {
  if (expiresAt === undefined || Date.parse(expiresAt) > Date.now()) return [];
  return [{ pointer: '/expires_at', code: 'not_allowed', message: 'Must be a time in the future.' }];
}
