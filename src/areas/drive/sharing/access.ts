import type { ReadTransaction } from '../../../storage/database.ts';
import { mapInTurns, sortInTurns } from '../../../turns/in-turns.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { NamedPrincipal } from '../../directory/service.ts';
import type { NodeRow } from '../node-store.ts';
import type { DriveOwner } from '../owner.ts';
import { isHigher, type Role, type Wanted } from '../rights.ts';
import type { Access } from '../schema.ts';
import { listChain, listGrantsOn } from './chain-store.ts';
import type { SharingDependencies } from './dependencies.ts';
import type { GrantRow } from './grant-store.ts';
import { principalOfGrant } from './grants.ts';
import { principalRecord } from './principals.ts';

/** A source of access to a node: ownership or a grant. */
interface Way {
  role: Role;
  grant: GrantRow | undefined;
}

/**
 * All users with access to a node, the owner first, then by user id; each with the highest role and its source, which may
 * be a grant on a folder above. Suspended users have no access. Throws ApiError not_found.
 */
export async function listAccess(
  tx: ReadTransaction,
  { rights, directory }: SharingDependencies,
  user: DriveOwner,
  wanted: Wanted,
): Promise<Access[]> {
  const { node } = await rights.require(tx, user, wanted, 'listGrants');
  const { workspace_id: workspaceId } = node;
  const chain = await listChain(tx, workspaceId, node.id);
  const grants = await inPrecedence(chain, await listGrantsOn(tx, workspaceId, chain));
  const owner = { type: 'user', id: node.owner_id } as const;
  const principals = [...(await mapInTurns(grants, principalOfGrant)), owner];
  const users = await directory.activeUsersOf(tx, workspaceId, principals);
  const ways = [...(await highestWays(node, grants, users))];
  const people = await mapInTurns(ways, ([id]) => ({ type: 'user', id }) as const);
  const names = await directory.namesOf(tx, workspaceId, [...principals, ...people]);
  return mapInTurns(await sortInTurns(ways, byUser), (way) => accessRecord(node, way, names));
}

/** Of equal roles counts a grant to the user before one to a group, then the nearest, then the oldest. */
async function inPrecedence(chain: readonly string[], grants: readonly GrantRow[]): Promise<GrantRow[]> {
  const distance = new Map(chain.map((id, i) => [id, i]));
  const far = ({ node_id }: GrantRow) => distance.get(node_id) ?? 0;
  const toGroup = ({ principal_type }: GrantRow) => Number(principal_type === 'group');
  return [
    ...(await sortInTurns(
      [...grants],
      (a, b) =>
        toGroup(a) - toGroup(b) || far(a) - far(b) || a.created_at - b.created_at || (a.id < b.id ? -1 : 1),
    )),
  ];
}

/** By user. Of equal roles, the first in the order of the grants takes precedence. */
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
  for (const grant of grants) {
    add(grant.principal_id, { role: grant.role, grant });
    await giveWay();
  }
  return ways;
}

/** Sorts the owner first. */
function byUser([id, way]: [string, Way], [otherId, other]: [string, Way]): number {
  return Number(other.role === 'owner') - Number(way.role === 'owner') || (id < otherId ? -1 : 1);
}

function accessRecord(
  node: NodeRow,
  [userId, { role, grant }]: [string, Way],
  names: ReadonlyMap<string, NamedPrincipal>,
): Access {
  const { name = '', email = '' } = names.get(userId) ?? {};
  const who = { user_id: userId, name, email, role };
  if (!grant) return { ...who, source: 'ownership' };
  return {
    ...who,
    source: 'grant',
    permission_id: grant.id,
    principal_type: grant.principal_type,
    principal_id: grant.principal_id,
    principal: principalRecord(principalOfGrant(grant), names),
    ...(grant.node_id !== node.id && { folder_id: grant.node_id }),
  };
}
