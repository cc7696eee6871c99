import { isDeepStrictEqual } from 'node:util';
import type { Page, PageRequest } from '../../contract/answers.ts';
import { notFound } from '../../contract/errors.ts';
import { afterId, pageById } from '../../contract/id-order.ts';
import { requireValues } from '../../contract/required-values.ts';
import { newId } from '../../platform/ids.ts';
import { WORKSPACE_AUDIENCE } from '../../storage/changes.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import * as store from './group-store.ts';
import { type Group, GroupChanges, NewGroup } from './schema.ts';
import { findUserIds } from './user-store.ts';

const USERS_A_STATEMENT = 1_000;

/** The groups of a workspace in order of creation. */
export async function listGroups(
  tx: ReadTransaction,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<Group>> {
  const rows = await store.listGroups(tx, workspaceId, afterId(page), page.limit);
  const members = await store.listMembers(
    tx,
    workspaceId,
    rows.map((row) => row.id),
  );
  return pageById(rows, (row) => groupRecord(row, members.get(row.id) ?? []));
}

/** Throws ApiError not_found for a member that is not a user of the workspace. */
export async function createGroup(
  tx: WriteTransaction,
  workspaceId: string,
  given: NewGroup,
): Promise<Group> {
  requireValues(NewGroup, given);
  const now = Date.now();
  const row = {
    workspace_id: workspaceId,
    id: newId('grp'),
    name: given.name,
    created_at: now,
    updated_at: now,
  };
  const memberIds = [...new Set(given.member_ids)];
  await checkUsers(tx, workspaceId, memberIds);
  await store.insertGroup(tx, row);
  await store.replaceMembers(tx, workspaceId, row.id, memberIds);
  emitGroup(tx, 'group.created', row, memberIds);
  return groupRecord(row, memberIds);
}

/**
 * Replaces the given fields; no effect if the group has them already. Throws ApiError not_found for the group, or for a
 * member that is not a user of the workspace.
 */
export async function updateGroup(
  tx: WriteTransaction,
  workspaceId: string,
  id: string,
  changes: GroupChanges,
): Promise<Group> {
  requireValues(GroupChanges, changes);
  await tx.lock({ workspaceId, scope: `group ${id}` });
  const before = await store.findGroup(tx, workspaceId, id);
  if (!before) throw notFound('group', id);
  const former = (await store.listMembers(tx, workspaceId, [id])).get(id) ?? [];
  const members = changes.member_ids ? [...new Set(changes.member_ids)] : former;
  const { name = before.name } = changes;
  const areSame = isDeepStrictEqual(members, former);
  if (areSame && name === before.name) return groupRecord(before, former);
  const after = { ...before, name, updated_at: Date.now() };
  await store.updateGroup(tx, after);
  if (!areSame) {
    await checkUsers(tx, workspaceId, members);
    await store.replaceMembers(tx, workspaceId, id, members);
  }
  emitGroup(tx, 'group.changed', after, [...new Set(members).symmetricDifference(new Set(former))]);
  return groupRecord(after, members);
}

/** Reports a group to the workspace, and to those who join or leave it that they reach other files and documents. */
function emitGroup(
  tx: WriteTransaction,
  type: 'group.created' | 'group.changed',
  { workspace_id: workspaceId, id }: store.GroupRow,
  joinedOrLeft: readonly string[],
): void {
  const ids = { group_id: id };
  tx.emit({ workspaceId, type, viewers: [WORKSPACE_AUDIENCE], ids });
  tx.emit({ workspaceId, type: 'access.changed', viewers: joinedOrLeft, ids });
}

async function checkUsers(tx: ReadTransaction, workspaceId: string, ids: readonly string[]): Promise<void> {
  for (let i = 0; i < ids.length; i += USERS_A_STATEMENT) {
    const some = ids.slice(i, i + USERS_A_STATEMENT);
    const known = new Set(await findUserIds(tx, workspaceId, some));
    const unknown = some.find((id) => !known.has(id));
    if (unknown !== undefined) throw notFound('user', unknown);
  }
}

function groupRecord(row: store.GroupRow, memberIds: string[]): Group {
  return {
    id: row.id,
    name: row.name,
    member_ids: memberIds,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
