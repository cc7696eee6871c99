import { type InferResult, sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import { type FlagSet, READ } from './flags.ts';
import type { MailboxOwner } from './owner.ts';
import type { FolderRole } from './roles.ts';

export interface FolderRow {
  id: string;
  name: string;
  parentId: string;
  role: string | null;
  createdAt: number;
}

/** Where a folder is. */
export type FoundFolder = Pick<FolderRow, 'id' | 'name' | 'parentId'>;

export interface CountedFolderRow extends FolderRow {
  messageCount: number;
  unreadCount: number;
}

/** Every folder of a mailbox in order of creation, with its counts. */
export async function listFolders(tx: ReadTransaction, owner: MailboxOwner): Promise<CountedFolderRow[]> {
  return (await countedFolders(tx, owner).orderBy('f.id').execute()).map(countedRow);
}

/** A folder of this mailbox with its counts; undefined when it has none such. */
export async function findCountedFolder(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderId: string,
): Promise<CountedFolderRow | undefined> {
  const row = await countedFolders(tx, owner).where('f.id', '=', folderId).executeTakeFirst();
  return row && countedRow(row);
}

const countedFolders = (tx: ReadTransaction, owner: MailboxOwner) =>
  tx
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
    .groupBy(['f.id', 'f.name', 'f.parent_id', 'f.role', 'f.created_at']);

function countedRow(row: InferResult<ReturnType<typeof countedFolders>>[number]): CountedFolderRow {
  return {
    id: row.id,
    name: row.name,
    parentId: row.parent_id,
    role: row.role,
    createdAt: row.created_at,
    messageCount: Number(row.message_count),
    unreadCount: Number(row.unread_count),
  };
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

/** Gives a folder another name or parent. */
export async function updateFolder(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folderId: string,
  { name, parentId }: Pick<FolderRow, 'name' | 'parentId'>,
): Promise<void> {
  await tx
    .updateTable('mail_folders')
    .set({ name, parent_id: parentId })
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('id', '=', folderId)
    .execute();
}

const foldersOf = (tx: ReadTransaction, owner: MailboxOwner) =>
  tx
    .selectFrom('mail_folders')
    .select(['id', 'name', 'parent_id as parentId'])
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId);

const selectById = statement((tx, p: MailboxOwner & { id: string }) =>
  foldersOf(tx, p).where('id', '=', p.id),
);
const selectByName = statement((tx, p: MailboxOwner & { parentId: string; name: string }) =>
  foldersOf(tx, p).where('parent_id', '=', p.parentId).where('name', '=', p.name),
);
const selectByRole = statement((tx, p: MailboxOwner & { role: string }) =>
  foldersOf(tx, p).where('role', '=', p.role),
);

/** The folder of this mailbox with this id; undefined when it has none such. */
export async function findFolder(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  id: string,
): Promise<FoundFolder | undefined> {
  return (await selectById(tx, { workspaceId, userId, id }))[0];
}

/** The folder of this name in a parent, without regard to how its name came to be. */
export async function findFolderByName(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  parentId: string,
  name: string,
): Promise<FoundFolder | undefined> {
  return (await selectByName(tx, { workspaceId, userId, parentId, name }))[0];
}

/** The folder of this mailbox that is for this, whatever it is called. */
export async function findFolderByRole(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  role: FolderRole,
): Promise<FoundFolder | undefined> {
  return (await selectByRole(tx, { workspaceId, userId, role }))[0];
}

/** Whether one folder of this mailbox is the other, or is somewhere below it. */
export async function isWithin(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderId: string,
  ancestorId: string,
): Promise<boolean> {
  const found = await tx
    .withRecursive('up', (db) =>
      db
        .selectFrom('mail_folders')
        .select(['workspace_id', 'id', 'parent_id'])
        .where('workspace_id', '=', owner.workspaceId)
        .where('id', '=', folderId)
        .union(
          db
            .selectFrom('up')
            .innerJoin('mail_folders as f', (join) =>
              join.onRef('f.workspace_id', '=', 'up.workspace_id').onRef('f.id', '=', 'up.parent_id'),
            )
            .select(['f.workspace_id', 'f.id', 'f.parent_id']),
        ),
    )
    .selectFrom('up')
    .select('id')
    .where('id', '=', ancestorId)
    .executeTakeFirst();
  return found !== undefined;
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
