import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
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

/** The sets of flags that messages of each folder carry; of every folder of the mailbox when none is named. */
export async function listFlagSets(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderIds: readonly string[],
): Promise<{ folderId: string; flags: FlagSet }[]> {
  const rows = await tx
    .selectFrom('mail_folder_counts')
    .select(['folder_id', 'flags'])
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('messages', '>', 0)
    .$if(folderIds.length > 0, (query) => query.where('folder_id', 'in', folderIds))
    .execute();
  return rows.map((row) => ({ folderId: row.folder_id, flags: row.flags }));
}
