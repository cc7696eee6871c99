import { missingPermission } from '../../contract/errors.ts';
import type { Problem } from '../../contract/operation.ts';
import { type Principal, requirePermission } from '../../contract/principal.ts';
import type { GrantRow } from './key-store.ts';
import type { NewApiKey } from './schema.ts';

/** Throws ApiError insufficient_scope for keys of another user, unless the caller has directory.write. */
export function permitKeysOf(userId: string | string[], principal: Principal): void {
  if (userId !== principal.userId) requirePermission(principal, 'directory.write');
}

/** Whether a key is visible to the caller. */
export function isVisibleTo({ userId, permissions }: Principal, key: GrantRow): boolean {
  return key.user_id === userId || permissions.has('directory.write');
}

/** "Grants nothing that the caller lacks." Throws ApiError insufficient_scope. */
export function permitGrants({ permissions = [] }: Partial<NewApiKey>, principal: Principal): void {
  const missing = permissions.find((permission) => !principal.permissions.has(permission));
  if (missing !== undefined) throw missingPermission(missing);
}

/** Throws ApiError insufficient_scope unless the caller has all permissions of each of these keys. */
export function permitRevocation(grants: readonly GrantRow[], principal: Principal): void {
  for (const { user_id: userId, permissions } of grants) {
    permitKeysOf(userId, principal);
    permitGrants({ permissions: JSON.parse(permissions) }, principal);
  }
}

/** The problems of a new key that says neither or both of permissions and preset, or would outlive its maker. */
export function newKeyProblems(given: Partial<NewApiKey>, makerEnds: number): Problem[] {
  return [...grantProblems(given), ...outlivingProblems(given, makerEnds)];
}

/** `sent`: the body as received, whose members need not fit. */
export function grantProblems(sent: object): Problem[] {
  if ('permissions' in sent && 'preset' in sent) {
    const message = 'Give permissions or preset, not both.';
    return [{ pointer: '/preset', code: 'not_allowed', message }];
  }
  if ('permissions' in sent || 'preset' in sent) return [];
  return [{ pointer: '/permissions', code: 'required', message: 'Give permissions, or a preset instead.' }];
}

/** The problem of a new key that would expire after its maker. */
export function outlivingProblems(
  { expires_at: expiresAt }: Partial<NewApiKey>,
  makerEnds: number,
): Problem[] {
  // A malformed time compares false here; endedKeyProblems refuses it.
  if (expiresAt === undefined || !(Date.parse(expiresAt) > makerEnds)) return [];
  const end = new Date(makerEnds).toISOString();
  const message = `Give a time no later than the end of the key that makes it, ${end}.`;
  return [{ pointer: '/expires_at', code: 'not_allowed', message }];
}

/** The problem of a new key that has expired already. */
export function endedKeyProblems({ expires_at: expiresAt }: NewApiKey): Problem[] {
  if (expiresAt === undefined || Date.parse(expiresAt) > Date.now()) return [];
  return [{ pointer: '/expires_at', code: 'not_allowed', message: 'Give a time in the future.' }];
}
