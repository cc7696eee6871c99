import { notFound } from '../../../contract/errors.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { newId } from '../../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { mapInTurns } from '../../../turns/in-turns.ts';
import type { DirectoryService } from '../../directory/service.ts';
import { indexFor, unindexFor } from '../listing/search-store.ts';
import { emitNode, seenNode } from '../node-changes.ts';
import type { NodeRow } from '../node-store.ts';
import type { DriveOwner } from '../owner.ts';
import { checkRole, type Rights, type Wanted } from '../rights.ts';
import { NewPermissionGrant, type PermissionGrant } from '../schema.ts';
import { deleteGrant, findGrant, type GrantRow, listGrants, saveGrant } from './grant-store.ts';

/** The services that sharing uses. */
export interface SharingDependencies {
  rights: Rights;
  directory: DirectoryService;
}

/** Folders cannot be shared. */
export function shareable(id: string): Wanted {
  return { id, kinds: ['file', 'document', 'spreadsheet'], resource: 'file' };
}

/** Grants a role to a principal, or replaces its role. Throws ApiError not_found (also for the principal) or forbidden. */
export async function share(
  tx: WriteTransaction,
  { rights, directory }: SharingDependencies,
  user: DriveOwner,
  id: string,
  given: NewPermissionGrant,
): Promise<PermissionGrant> {
  requireValues(NewPermissionGrant, given);
  const { node } = await rights.requireLocked(tx, user, shareable(id), 'share');
  const { principal_id: principalId, principal_type: type = 'user', role } = given;
  await directory.checkPrincipal(tx, user.workspaceId, { type, id: principalId });
  const row = grantRow(node, user, { principal_type: type, principal_id: principalId, role });
  const { grant, isChanged } = await saveGrant(tx, row);
  if (grant.id === row.id) await indexFor(tx, node, principalId);
  if (isChanged) emitNode(tx, await seenNode(tx, node), 'shared');
  return grantRecord(grant);
}

/** All grants, in order of creation. Throws ApiError not_found. */
export async function listPermissions(
  tx: ReadTransaction,
  { rights }: SharingDependencies,
  user: DriveOwner,
  id: string,
): Promise<PermissionGrant[]> {
  const { node } = await rights.require(tx, user, shareable(id), 'listGrants');
  const grants = await listGrants(tx, node.workspace_id, node.id);
  return mapInTurns(grants, grantRecord);
}

/** Revokes a grant; any user may give up their own. Throws ApiError not_found or forbidden. */
export async function revoke(
  tx: WriteTransaction,
  { rights }: SharingDependencies,
  user: DriveOwner,
  id: string,
  grantId: string,
): Promise<void> {
  const reached = await rights.requireLocked(tx, user, shareable(id), 'listGrants');
  const grant = await findGrant(tx, user.workspaceId, id, grantId);
  if (!grant) throw notFound('permission', grantId);
  if (grant.principal_id !== user.userId) checkRole(reached, 'share');
  // Before the grant is gone: those who lose it are told too.
  const seen = await seenNode(tx, reached.node);
  await deleteGrant(tx, user.workspaceId, grantId);
  await unindexFor(tx, reached.node, grant.principal_id);
  emitNode(tx, seen, 'unshared');
}

function grantRow(node: NodeRow, { userId }: DriveOwner, given: Required<NewPermissionGrant>): GrantRow {
  return {
    workspace_id: node.workspace_id,
    id: newId('perm'),
    node_id: node.id,
    principal_type: given.principal_type,
    principal_id: given.principal_id,
    role: given.role,
    created_by: userId,
    created_at: Date.now(),
    node_kind: node.kind,
    node_parent_id: node.parent_id,
    node_state: node.state,
    node_place: node.place,
  };
}

function grantRecord(row: GrantRow): PermissionGrant {
  return {
    id: row.id,
    principal_type: row.principal_type,
    principal_id: row.principal_id,
    role: row.role,
    created_by: row.created_by,
    created_at: new Date(row.created_at).toISOString(),
  };
}
