import { notFound } from '../../../contract/errors.ts';
import type { Principal } from '../../../contract/principal.ts';
import { newId } from '../../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { mapInTurns } from '../../../turns/in-turns.ts';
import type { GrantPrincipal, NamedPrincipal } from '../../directory/service.ts';
import { indexFor, unindexFor } from '../listing/search-store.ts';
import { emitNode, seenNode } from '../node-changes.ts';
import type { NodeRow } from '../node-store.ts';
import type { DriveOwner } from '../owner.ts';
import { checkRole, type Wanted } from '../rights.ts';
import type { NewPermissionGrant, PermissionGrant } from '../schema.ts';
import type { Notice, SharingDependencies } from './dependencies.ts';
import { deleteGrant, findGrant, type GrantRow, listGrants, saveGrant } from './grant-store.ts';
import { checkGrant, principalOf, principalRecord } from './principals.ts';

/**
 * Grants a role to a principal, or replaces its role, and sends the notice. A grant on a folder is one row, whatever lies
 * in it. Throws ApiError not_found (also for the principal), forbidden or validation_failed.
 */
export async function share(
  tx: WriteTransaction,
  { rights, directory }: SharingDependencies,
  user: Principal,
  wanted: Wanted,
  given: NewPermissionGrant,
  notice?: Notice,
): Promise<PermissionGrant> {
  checkGrant(given);
  const { node } = await rights.requireLocked(tx, user, wanted, 'share');
  const principal = await principalOf(tx, directory, user.workspaceId, given);
  // All locks come before the first write.
  const send = await notice?.prepareSend(tx, user);
  const row = grantRow(node, user, principal, given.role);
  const { grant, isChanged } = await saveGrant(tx, row);
  if (grant.id === row.id) await indexFor(tx, node, principal.id);
  if (isChanged) emitNode(tx, await seenNode(tx, node), 'shared');
  await send?.();
  return grantRecord(grant, await directory.namesOf(tx, user.workspaceId, [principal]));
}

/** All grants on a node itself, in order of creation. Throws ApiError not_found. */
export async function listPermissions(
  tx: ReadTransaction,
  { rights, directory }: SharingDependencies,
  user: DriveOwner,
  wanted: Wanted,
): Promise<PermissionGrant[]> {
  const { node } = await rights.require(tx, user, wanted, 'listGrants');
  const grants = await listGrants(tx, node.workspace_id, node.id);
  const names = await directory.namesOf(tx, node.workspace_id, await mapInTurns(grants, principalOfGrant));
  return mapInTurns(grants, (grant) => grantRecord(grant, names));
}

/** Revokes a grant; any user may give up their own. Throws ApiError not_found or forbidden. */
export async function revoke(
  tx: WriteTransaction,
  { rights }: SharingDependencies,
  user: DriveOwner,
  wanted: Wanted,
  grantId: string,
): Promise<void> {
  const reached = await rights.requireLocked(tx, user, wanted, 'listGrants');
  const grant = await findGrant(tx, user.workspaceId, wanted.id, grantId);
  if (!grant) throw notFound('permission', grantId);
  if (grant.principal_id !== user.userId) checkRole(reached, 'share');
  // Before the grant is gone: those who lose it are told too.
  const seen = await seenNode(tx, reached.node);
  await deleteGrant(tx, user.workspaceId, grantId);
  await unindexFor(tx, reached.node, grant.principal_id);
  emitNode(tx, seen, 'unshared');
}

function grantRow(
  node: NodeRow,
  { userId }: DriveOwner,
  principal: GrantPrincipal,
  role: GrantRow['role'],
): GrantRow {
  return {
    workspace_id: node.workspace_id,
    id: newId('perm'),
    node_id: node.id,
    principal_type: principal.type,
    principal_id: principal.id,
    role,
    created_by: userId,
    created_at: Date.now(),
    node_kind: node.kind,
    node_parent_id: node.parent_id,
    node_state: node.state,
    node_place: node.place,
  };
}

/** Whom a grant names. */
export function principalOfGrant({ principal_type: type, principal_id: id }: GrantRow): GrantPrincipal {
  return { type, id };
}

function grantRecord(row: GrantRow, names: ReadonlyMap<string, NamedPrincipal>): PermissionGrant {
  return {
    id: row.id,
    principal_type: row.principal_type,
    principal_id: row.principal_id,
    principal: principalRecord(principalOfGrant(row), names),
    role: row.role,
    created_by: row.created_by,
    created_at: new Date(row.created_at).toISOString(),
  };
}
