import { notFound } from '../../contract/errors.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { runsOf } from '../../turns/in-turns.ts';
import { giveWay } from '../../turns/next-turn.ts';
import { findGroupNames, isGroup, listMembers } from './group-store.ts';
import { findActiveUserIds, findUserIds, findUserNames } from './user-store.ts';

const IDS_A_STATEMENT = 1_000;

/** A principal that can be granted rights: a user, or all members of a group. */
export interface GrantPrincipal {
  type: 'user' | 'group';
  id: string;
}

/** A principal with what people know it by. */
export interface NamedPrincipal extends GrantPrincipal {
  name: string;
  /** Undefined for a group. */
  email?: string;
}

/**
 * The names of those of these principals that the workspace has, by id; of users their addresses too. Other requests get a turn
 * in between.
 */
export async function namesOf(
  tx: ReadTransaction,
  workspaceId: string,
  principals: readonly GrantPrincipal[],
): Promise<Map<string, NamedPrincipal>> {
  const named = new Map<string, NamedPrincipal>();
  for (const some of runsOf(principals, IDS_A_STATEMENT)) {
    const idsOf = (type: GrantPrincipal['type']) =>
      some.flatMap((one) => (one.type === type ? [one.id] : []));
    const [users, groups] = [idsOf('user'), idsOf('group')];
    if (users.length > 0)
      for (const { id, name, email } of await findUserNames(tx, workspaceId, users))
        named.set(id, { type: 'user', id, name, email });
    if (groups.length > 0)
      for (const { id, name } of await findGroupNames(tx, workspaceId, groups))
        named.set(id, { type: 'group', id, name });
    await giveWay();
  }
  return named;
}

/** Throws ApiError not_found unless the workspace has this user or group. */
export async function checkPrincipal(
  tx: ReadTransaction,
  workspaceId: string,
  { type, id }: GrantPrincipal,
): Promise<void> {
  const isKnown =
    type === 'group'
      ? await isGroup(tx, workspaceId, id)
      : (await findUserIds(tx, workspaceId, [id])).length > 0;
  if (!isKnown) throw notFound(type, id);
}

/**
 * For each of these principals its active users: the user, or the members of the group. Other requests get a turn in
 * between.
 */
export async function activeUsersOf(
  tx: ReadTransaction,
  workspaceId: string,
  principals: readonly GrantPrincipal[],
): Promise<Map<string, string[]>> {
  const groupIds = principals.filter(({ type }) => type === 'group').map(({ id }) => id);
  const members = new Map<string, string[]>();
  // One group per query: a group may have thousands of members.
  for (const groupId of groupIds) {
    for (const [id, userIds] of await listMembers(tx, workspaceId, [groupId])) members.set(id, userIds);
    await giveWay();
  }
  const usersOf = ({ type, id }: GrantPrincipal) => (type === 'user' ? [id] : (members.get(id) ?? []));
  const all = new Set<string>();
  for (const principal of principals) {
    for (const id of usersOf(principal)) all.add(id);
    await giveWay();
  }
  const active = await activeAmong(tx, workspaceId, all);
  const found = new Map<string, string[]>();
  for (const principal of principals) {
    found.set(
      principal.id,
      usersOf(principal).filter((id) => active.has(id)),
    );
    await giveWay();
  }
  return found;
}

async function activeAmong(
  tx: ReadTransaction,
  workspaceId: string,
  userIds: ReadonlySet<string>,
): Promise<Set<string>> {
  const active = new Set<string>();
  for (const ids of runsOf([...userIds], IDS_A_STATEMENT)) {
    for (const id of await findActiveUserIds(tx, workspaceId, ids)) active.add(id);
    await giveWay();
  }
  return active;
}
