import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { isAmong } from '../../storage/query/json-parameters.ts';
import { statement } from '../../storage/query/statement.ts';
import type { Groups as GroupRow } from '../../storage/schema/tables.ts';

export type { GroupRow };

/** A statement has a limited number of parameters (32,766 on SQLite, 65,535 on PostgreSQL); a member needs four. */
const MEMBERS_A_STATEMENT = 1_000;

export async function listGroups(
  tx: ReadTransaction,
  workspaceId: string,
  after: string,
  limit: number,
): Promise<GroupRow[]> {
  return tx
    .selectFrom('groups')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The members of each of these groups, in the order given. */
export async function listMembers(
  tx: ReadTransaction,
  workspaceId: string,
  groupIds: readonly string[],
): Promise<Map<string, string[]>> {
  const members = new Map(groupIds.map((id): [string, string[]] => [id, []]));
  if (groupIds.length === 0) return members;
  const rows = await tx
    .selectFrom('group_members')
    .select(['group_id', 'user_id'])
    .where('workspace_id', '=', workspaceId)
    .where('group_id', 'in', groupIds)
    .orderBy('group_id')
    .orderBy('position')
    .execute();
  for (const row of rows) members.get(row.group_id)?.push(row.user_id);
  return members;
}

const groupIdsOf = statement((tx, p: { workspaceId: string; userId: string }) =>
  tx
    .selectFrom('group_members')
    .select('group_id')
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId),
);

/** The ids of the groups that a user is a member of. */
export async function listGroupIdsOf(
  tx: ReadTransaction,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<string[]> {
  return (await groupIdsOf(tx, { workspaceId, userId })).map((row) => row.group_id);
}

/** Whether the workspace has this group. */
const namesOfGroups = statement((tx, p: { workspaceId: string; ids: string }) =>
  tx
    .selectFrom('groups')
    .select(['id', 'name'])
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'id', p.ids)),
);

/** The names of those of these ids that are groups of the workspace, in any order. */
export function findGroupNames(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  return namesOfGroups(tx, { workspaceId, ids: JSON.stringify(ids) });
}

export async function isGroup(tx: ReadTransaction, workspaceId: string, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('groups')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertGroup(tx: WriteTransaction, group: GroupRow): Promise<void> {
  await tx.insertInto('groups').values(group).execute();
}

/** Changes a group and returns the new row; undefined when the workspace has no such group. Locks the row. */
export async function findGroup(
  tx: ReadTransaction,
  workspaceId: string,
  id: string,
): Promise<GroupRow | undefined> {
  return tx
    .selectFrom('groups')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function updateGroup(
  tx: WriteTransaction,
  { workspace_id, id, name, updated_at }: GroupRow,
): Promise<void> {
  await tx
    .updateTable('groups')
    .set({ name, updated_at })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .execute();
}

/** Replaces the members of a group. */
export async function replaceMembers(
  tx: WriteTransaction,
  workspaceId: string,
  groupId: string,
  userIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('group_members')
    .where('workspace_id', '=', workspaceId)
    .where('group_id', '=', groupId)
    .execute();
  const rows = userIds.map((userId, position) => ({
    workspace_id: workspaceId,
    group_id: groupId,
    user_id: userId,
    position,
  }));
  for (let i = 0; i < rows.length; i += MEMBERS_A_STATEMENT) {
    await tx
      .insertInto('group_members')
      .values(rows.slice(i, i + MEMBERS_A_STATEMENT))
      .execute();
  }
}
