import { type InferResult, sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { integersIn, ROWS_A_PORTION, readInPortions } from '../../../storage/query/json-parameters.ts';
import { numberedInsertion, statement } from '../../../storage/query/statement.ts';
import { type FlagSet, READ } from '../changes/flags.ts';
import type { MailboxOwner } from '../owner.ts';
import { type FolderRole, isRole } from '../schema.ts';

/** The key by which messages refer to their folder. */
export type FolderNumber = number;

export interface FolderRow {
  id: string;
  name: string;
  parentId: string;
  role: string | null;
  createdAt: number;
}

/** A folder with its name, parent and number. */
export interface FoundFolder extends Pick<FolderRow, 'id' | 'name' | 'parentId'> {
  number: FolderNumber;
}

export interface CountedFolderRow extends FolderRow {
  messageCount: number;
  unreadCount: number;
}

/** Every folder of a mailbox with its counts, in portions, in order of parent and name. */
export async function* listFolders(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
): AsyncGenerator<readonly CountedFolderRow[]> {
  const portions = readInPortions((last: CountedFolder | undefined) => {
    const { parent_id: parentId = '', name = '', number = 0 } = last ?? {};
    return foldersAfter(tx, { workspaceId, userId, parentId, name, number });
  });
  for await (const rows of portions) yield rows.map(countedRow);
}

const foldersOf = (tx: ReadTransaction, owner: MailboxOwner) =>
  tx
    .selectFrom('mail_folders')
    .selectAll()
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId);

/** The folder of this mailbox with this id and its counts; undefined when there is none. */
export async function findCountedFolder(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderId: string,
): Promise<CountedFolderRow | undefined> {
  const row = await countedFolders(
    tx,
    owner,
    foldersOf(tx, owner).where('id', '=', folderId),
  ).executeTakeFirst();
  return row && countedRow(row);
}

/** Adds the counts to the selected folders, by the key of each folder. */
const countedFolders = (
  tx: ReadTransaction,
  { workspaceId }: MailboxOwner,
  folders: ReturnType<typeof foldersOf>,
) =>
  tx
    .selectFrom(folders.as('f'))
    .leftJoin('mail_folder_counts as c', (join) =>
      join.on('c.workspace_id', '=', workspaceId).onRef('c.folder_id', '=', 'f.id'),
    )
    .select(['f.number', 'f.id', 'f.name', 'f.parent_id', 'f.role', 'f.created_at'])
    .select(sql<number>`coalesce(sum(c.messages), 0)`.as('message_count'))
    .select(
      sql<number>`coalesce(sum(case when c.flags & ${READ} = 0 then c.messages end), 0)`.as('unread_count'),
    )
    .groupBy(['f.parent_id', 'f.name', 'f.number', 'f.id', 'f.role', 'f.created_at']);

type CountedFolder = InferResult<ReturnType<typeof countedFolders>>[number];

/** The next folders in the order of the index on parent and name. */
const foldersAfter = statement(
  (tx, p: MailboxOwner & { parentId: string; name: string; number: FolderNumber }) => {
    const folders = foldersOf(tx, p)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('parent_id', 'name', 'number'), '>', tuple(p.parentId, p.name, p.number)),
      )
      .orderBy('parent_id')
      .orderBy('name')
      .orderBy('number')
      .limit(sql.lit(ROWS_A_PORTION));
    return countedFolders(tx, p, folders).orderBy('f.parent_id').orderBy('f.name').orderBy('f.number');
  },
);

function countedRow(row: CountedFolder): CountedFolderRow {
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

const insertRow = numberedInsertion((tx, p: MailboxOwner & FolderRow) =>
  tx.insertInto('mail_folders').values({
    workspace_id: p.workspaceId,
    user_id: p.userId,
    id: p.id,
    name: p.name,
    parent_id: p.parentId,
    role: p.role,
    created_at: p.createdAt,
  }),
);

/** Stores a new folder; returns its number. */
export function insertFolder(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  folder: FolderRow,
): Promise<FolderNumber> {
  return insertRow(tx, { ...folder, workspaceId, userId });
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

const foundFolders = (tx: ReadTransaction, owner: MailboxOwner) =>
  tx
    .selectFrom('mail_folders')
    .select(['id', 'name', 'parent_id as parentId', 'number'])
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId);

const selectById = statement((tx, p: MailboxOwner & { id: string }) =>
  foundFolders(tx, p).where('id', '=', p.id),
);
const selectByName = statement((tx, p: MailboxOwner & { parentId: string; name: string }) =>
  foundFolders(tx, p).where('parent_id', '=', p.parentId).where('name', '=', p.name),
);
const selectByRole = statement((tx, p: MailboxOwner & { role: string }) =>
  foundFolders(tx, p).where('role', '=', p.role),
);

/** The number of a folder of this mailbox that is named by its id, or by its role, as a subquery. */
export function folderNumber(
  tx: ReadTransaction,
  owner: MailboxOwner,
  name: string,
  by: 'id' | 'role' = 'id',
) {
  return tx
    .selectFrom('mail_folders')
    .select('number')
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where(by, '=', name);
}

/** The folder of this mailbox with this id, or with this role; undefined when there is none. */
export async function findFolder(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  id: string,
): Promise<FoundFolder | undefined> {
  if (isRole(id)) return findFolderByRole(tx, { workspaceId, userId }, id);
  return (await selectById(tx, { workspaceId, userId, id }))[0];
}

/** The folder of this mailbox with this name and parent; undefined when there is none. */
export async function findFolderByName(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  parentId: string,
  name: string,
): Promise<FoundFolder | undefined> {
  return (await selectByName(tx, { workspaceId, userId, parentId, name }))[0];
}

/** The folder of this mailbox with this role, whatever its name. */
export async function findFolderByRole(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  role: FolderRole,
): Promise<FoundFolder | undefined> {
  return (await selectByRole(tx, { workspaceId, userId, role }))[0];
}

/** Whether a folder of this mailbox is `ancestorId` or a descendant of it. */
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
        .select(['id', 'parent_id'])
        .where('workspace_id', '=', owner.workspaceId)
        .where('id', '=', folderId)
        .union(
          db
            .selectFrom('up')
            .innerJoin('mail_folders as f', 'f.id', 'up.parent_id')
            .select(['f.id', 'f.parent_id'])
            .where('f.workspace_id', '=', owner.workspaceId),
        ),
    )
    .selectFrom('up')
    .select('id')
    .where('id', '=', ancestorId)
    .executeTakeFirst();
  return found !== undefined;
}

/** The id and the number of a folder: the API uses the id, messages use the number. */
export interface FolderKey {
  folderId: string;
  folderNumber: FolderNumber;
}

const selectKey = statement((tx, p: MailboxOwner & { id: string }) =>
  tx
    .selectFrom('mail_folders')
    .select(['id as folderId', 'number as folderNumber'])
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('id', '=', p.id),
);

/** The key of the folder of this mailbox with this id; empty when there is none. */
export function findFolderKey(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  id: string,
): Promise<readonly FolderKey[]> {
  return selectKey(tx, { workspaceId, userId, id });
}

const selectIds = statement((tx, p: { workspaceId: string; numbers: string }) =>
  tx
    .selectFrom('mail_folders')
    .select(['number', 'id'])
    .where('workspace_id', '=', p.workspaceId)
    .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
);

/** The ids of folders by their numbers. */
export async function findFolderIds(
  tx: ReadTransaction,
  { workspaceId }: MailboxOwner,
  numbers: readonly FolderNumber[],
): Promise<Map<FolderNumber, string>> {
  const rows = await selectIds(tx, {
    workspaceId,
    numbers: JSON.stringify(numbers.toSorted((a, b) => a - b)),
  });
  return new Map(rows.map(({ number, id }) => [number, id]));
}

const occurringFlags = (tx: ReadTransaction, owner: MailboxOwner) =>
  tx
    .selectFrom('mail_folder_counts as c')
    .innerJoin('mail_folders as f', (join) =>
      join.onRef('f.workspace_id', '=', 'c.workspace_id').onRef('f.id', '=', 'c.folder_id'),
    )
    .select(['f.id as folderId', 'f.number as folderNumber', 'c.flags'])
    .where('c.workspace_id', '=', owner.workspaceId)
    .where('c.user_id', '=', owner.userId)
    .where('c.messages', '>', 0);

const flagsOfMailbox = statement((tx, p: MailboxOwner) => occurringFlags(tx, p));
const flagsOfFolder = statement((tx, p: MailboxOwner & { folderId: string }) =>
  occurringFlags(tx, p).where('c.folder_id', '=', p.folderId),
);

/** The flag sets that occur in each of these folders; in every folder of the mailbox when none is named. */
export async function listFlagSets(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  folderIds: readonly string[],
): Promise<(FolderKey & { flags: FlagSet })[]> {
  if (folderIds.length === 0) return flagsOfMailbox(tx, { workspaceId, userId });
  const found = folderIds.map((folderId) => flagsOfFolder(tx, { workspaceId, userId, folderId }));
  return (await Promise.all(found)).flat();
}
