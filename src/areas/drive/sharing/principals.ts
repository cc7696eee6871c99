import { ApiError } from '../../../contract/errors.ts';
import { hasMember } from '../../../contract/json.ts';
import type { Problem } from '../../../contract/operation.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { refuse } from '../../../contract/validation.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { fold } from '../../../text/fold.ts';
import type { DirectoryService, GrantPrincipal, NamedPrincipal } from '../../directory/service.ts';
import { NewPermissionGrant, type Principal } from '../schema.ts';

/**
 * The problems of a new grant that its schema cannot express: it names its principal by an id or by an address. The grant
 * lacks the fields of `sent` that violate the schema.
 */
export function grantProblems(
  { principal_id, principal_type, email }: Partial<NewPermissionGrant>,
  sent: unknown,
): Problem[] {
  if (!hasMember(sent, 'principal_id') && !hasMember(sent, 'email')) {
    const message = 'Give principal_id, or email for a user of the workspace.';
    return [{ pointer: '/principal_id', code: 'required', message }];
  }
  if (email === undefined) return [];
  if (principal_id !== undefined)
    return [{ pointer: '/email', code: 'conflict', message: 'Give principal_id or email, not both.' }];
  if (principal_type === 'group')
    return [
      { pointer: '/email', code: 'conflict', message: 'A group has no address; give its principal_id.' },
    ];
  return [];
}

/** Throws ApiError validation_failed. */
export function checkGrant(given: NewPermissionGrant): void {
  requireValues(NewPermissionGrant, given);
  const problems = grantProblems(given, given);
  if (problems.length > 0) refuse(problems);
}

/** The user or group that a grant is for. Throws ApiError not_found. */
export async function principalOf(
  tx: ReadTransaction,
  directory: DirectoryService,
  workspaceId: string,
  { principal_id: id, principal_type: type = 'user', email }: NewPermissionGrant,
): Promise<GrantPrincipal> {
  if (id !== undefined) {
    await directory.checkPrincipal(tx, workspaceId, { type, id });
    return { type, id };
  }
  const address = fold(email ?? '');
  const holder = (await directory.findAddressHolders(tx, workspaceId, [address])).get(address);
  if (!holder) throw noSuchAddress(email ?? '');
  return { type: 'user', id: holder.userId };
}

function noSuchAddress(email: string): ApiError {
  const message = 'No user of the workspace has this address; only its users and groups are given a role.';
  return new ApiError('not_found', message, { resource: 'user', id: email });
}

/** A user or group as a grant shows it. */
export function principalRecord(
  { type, id }: GrantPrincipal,
  names: ReadonlyMap<string, NamedPrincipal>,
): Principal {
  const { name = '', email } = names.get(id) ?? {};
  return email === undefined ? { id, type, name } : { id, type, name, email };
}
