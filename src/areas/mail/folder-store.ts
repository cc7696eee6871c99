import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import { type FlagSet, READ } from './flags.ts';
import type { MailboxOwner } from './owner.ts';

export interface FolderRow {
  id: string;
  name: string;
  parentId: string;
  role: string | null;
  createdAt: number;
}

export interface CountedFolderRow extends FolderRow {
  messageCount: number;
  unreadCount: number;
}

/** Every folder of a mailbox in order of creation, with its counts. */
export async function listFolders(tx: ReadTransaction, owner: MailboxOwner): Promise<CountedFolderRow[]> {
  const rows = await tx
    .selectFrom('mail_folders as f')
    .leftJoin('mail_folder_counts as c', (join) =>
      join.onRef('c.workspace_id', '=', 'f.workspace_id').onRef('c.folder_id', '=', 'f.id'),
    )
    .select(['f.id', 'f.name', 'f.parent_id', 'f.role', 'f.created_at'])
    .select(sql<number>`coalesce(sum(c.messages), 0)`.as('message_count'))
    .select(
      sql<number>`coalesce(sum(case when c.flags & ${READ} = 0 then c.messages end), 0)`.as('unread_count'),
    )
    .where('f.workspace_id', '=', owner.workspaceId)
    .where('f.user_id', '=', owner.userId)
    .groupBy(['f.id', 'f.name', 'f.parent_id', 'f.role', 'f.created_at'])
    .orderBy('f.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    parentId: row.parent_id,
    role: row.role,
    createdAt: row.created_at,
    messageCount: Number(row.message_count),
    unreadCount: Number(row.unread_count),
  }));
}

export async function insertFolder(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folder: FolderRow,
): Promise<void> {
  await tx
    .insertInto('mail_folders')
    .values({
      workspace_id: owner.workspaceId,
      user_id: owner.userId,
      id: folder.id,
      name: folder.name,
      parent_id: folder.parentId,
      role: folder.role,
      created_at: folder.createdAt,
    })
    .execute();
}

/** The id of a folder of this mailbox; undefined when it has none such. */
export async function findFolder(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderId: string,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('mail_folders')
    .select('id')
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('id', '=', folderId)
    .executeTakeFirst();
  return row?.id;
}

/** The folder of this name in a parent, without regard to how its name came to be. */
export async function findFolderByName(
  tx: ReadTransaction,
  owner: MailboxOwner,
  parentId: string,
  name: string,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('mail_folders')
    .select('id')
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('parent_id', '=', parentId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.id;
}

const folderByRole = statement((tx, p: MailboxOwner & { role: string }) =>
  tx
    .selectFrom('mail_folders')
    .select('id')
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('role', '=', p.role),
);

/** The id of the folder of this mailbox that has a role. */
export async function findFolderByRole(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  role: string,
): Promise<string | undefined> {
  const [row] = await folderByRole(tx, { workspaceId, userId, role });
  return row?.id;
}

/** Adds to the number of messages of a folder that carry exactly these flags. */
export async function addToCount(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folderId: string,
  flags: FlagSet,
  messages: number,
): Promise<void> {
  await tx
    .insertInto('mail_folder_counts')
    .values({
      workspace_id: owner.workspaceId,
      user_id: owner.userId,
      folder_id: folderId,
      flags,
      messages,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'folder_id', 'flags'])
        .doUpdateSet({ messages: sql<number>`mail_folder_counts.messages + ${messages}` }),
    )
    .execute();
}

const occurringFlags = (tx: ReadTransaction, owner: MailboxOwner) =>
  tx
    .selectFrom('mail_folder_counts')
    .select(['folder_id as folderId', 'flags'])
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('messages', '>', 0);

const flagsOfMailbox = statement((tx, p: MailboxOwner) => occurringFlags(tx, p));
const flagsOfFolder = statement((tx, p: MailboxOwner & { folderId: string }) =>
  occurringFlags(tx, p).where('folder_id', '=', p.folderId),
);

/** The sets of flags that messages of each folder carry; of every folder of the mailbox when none is named. */
export async function listFlagSets(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  folderIds: readonly string[],
): Promise<{ folderId: string; flags: FlagSet }[]> {
  if (folderIds.length === 0) return flagsOfMailbox(tx, { workspaceId, userId });
  const found = folderIds.map((folderId) => flagsOfFolder(tx, { workspaceId, userId, folderId }));
  return (await Promise.all(found)).flat();
}
