import { type Principal, requirePermission } from '../../api/authentication.ts';
import { missingPermission } from '../../api/errors.ts';
import type { Problem } from '../../api/operation.ts';
import type { NewApiKey } from './schema.ts';

/** Throws ApiError insufficient_scope for the keys of someone else, unless the caller manages the directory. */
export function permitKeysOf(userId: string | string[], principal: Principal): void {
  if (userId !== principal.userId) requirePermission(principal, 'directory.write');
}

/** "Grants nothing that the caller lacks." Throws ApiError insufficient_scope. */
export function permitGrants({ permissions = [] }: Partial<NewApiKey>, principal: Principal): void {
  const missing = permissions.find((permission) => !principal.permissions.has(permission));
  if (missing !== undefined) throw missingPermission(missing);
}

/** What the schema cannot say of a new key. */
export function newKeyProblems({ expires_at: expiresAt }: NewApiKey): Problem[] {
  if (expiresAt === undefined || Date.parse(expiresAt) > Date.now()) return [];
  return [{ pointer: '/expires_at', code: 'not_allowed', message: 'Must be a time in the future.' }];
}
