import type { ReadTransaction } from '../../../storage/database.ts';
import { mapInTurns, sortInTurns } from '../../../turns/in-turns.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { NodeRow } from '../node-store.ts';
import type { DriveOwner } from '../owner.ts';
import { isHigher, type Role } from '../roles.ts';
import type { Access } from '../schema.ts';
import { type GrantRow, listGrants } from './grant-store.ts';
import { type SharingDependencies, shareable } from './sharing.ts';

/** A source of access to a node: ownership or a grant. */
interface Way {
  role: Role;
  grant: GrantRow | undefined;
}

/**
 * All users with access to a node, the owner first, then by user id; each with the highest role and its source.
 * Suspended users have no access. Throws ApiError not_found.
 */
export async function listAccess(
  tx: ReadTransaction,
  { rights, directory }: SharingDependencies,
  user: DriveOwner,
  id: string,
): Promise<Access[]> {
  const { node } = await rights.require(tx, user, shareable(id), 'listGrants');
  const grants = await listGrants(tx, node.workspace_id, node.id);
  const principals = grants.map((grant) => ({ type: grant.principal_type, id: grant.principal_id }));
  const owner = { type: 'user', id: node.owner_id } as const;
  const users = await directory.activeUsersOf(tx, node.workspace_id, [...principals, owner]);
  const ways = [...(await highestWays(node, grants, users))];
  return mapInTurns(await sortInTurns(ways, byUser), accessRecord);
}

/** By user. Of equal roles, a grant to the user takes precedence over a grant to a group, then the older grant. */
async function highestWays(
  node: NodeRow,
  grants: readonly GrantRow[],
  users: ReadonlyMap<string, string[]>,
): Promise<Map<string, Way>> {
  const ways = new Map<string, Way>();
  const add = (principalId: string, way: Way) => {
    for (const userId of users.get(principalId) ?? []) {
      const found = ways.get(userId);
      if (!found || isHigher(way.role, found.role)) ways.set(userId, way);
    }
  };
  add(node.owner_id, { role: 'owner', grant: undefined });
  for (const type of ['user', 'group']) {
    for (const grant of grants.filter(({ principal_type }) => principal_type === type)) {
      add(grant.principal_id, { role: grant.role, grant });
      await giveWay();
    }
  }
  return ways;
}

/** Sorts the owner first. */
function byUser([id, way]: [string, Way], [otherId, other]: [string, Way]): number {
  return Number(other.role === 'owner') - Number(way.role === 'owner') || (id < otherId ? -1 : 1);
}

function accessRecord([userId, { role, grant }]: [string, Way]): Access {
  if (!grant) return { user_id: userId, role, source: 'ownership' };
  return {
    user_id: userId,
    role,
    source: 'grant',
    permission_id: grant.id,
    principal_type: grant.principal_type,
    principal_id: grant.principal_id,
  };
}
