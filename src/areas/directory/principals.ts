import { notFound } from '../../api/errors.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { isGroup, listMembers } from './group-store.ts';
import { findActiveUserIds, findUserIds } from './user-store.ts';

const IDS_A_STATEMENT = 1_000;

/** Someone who can be given rights: a user, or all members of a group. */
export interface GrantPrincipal {
  type: 'user' | 'group';
  id: string;
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

/** For each of these principals the active users whom it stands for: the user, or the members of the group. */
export async function activeUsersOf(
  tx: ReadTransaction,
  workspaceId: string,
  principals: readonly GrantPrincipal[],
): Promise<Map<string, string[]>> {
  const groupIds = principals.filter(({ type }) => type === 'group').map(({ id }) => id);
  const members = new Map<string, string[]>();
  for (const ids of portions(groupIds)) {
    for (const [id, userIds] of await listMembers(tx, workspaceId, ids)) members.set(id, userIds);
  }
  const usersOf = ({ type, id }: GrantPrincipal) => (type === 'user' ? [id] : (members.get(id) ?? []));
  const active = await activeAmong(tx, workspaceId, new Set(principals.flatMap(usersOf)));
  return new Map(
    principals.map((principal) => [principal.id, usersOf(principal).filter((id) => active.has(id))]),
  );
}

async function activeAmong(
  tx: ReadTransaction,
  workspaceId: string,
  userIds: ReadonlySet<string>,
): Promise<Set<string>> {
  const active = new Set<string>();
  for (const ids of portions([...userIds])) {
    for (const id of await findActiveUserIds(tx, workspaceId, ids)) active.add(id);
  }
  return active;
}

function* portions(ids: readonly string[]): Generator<string[]> {
  for (let i = 0; i < ids.length; i += IDS_A_STATEMENT) yield ids.slice(i, i + IDS_A_STATEMENT);
}
