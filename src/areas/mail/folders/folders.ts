import { ApiError, notFound } from '../../../contract/errors.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { newId } from '../../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { gatherInTurns, sortInTurns } from '../../../turns/in-turns.ts';
import { emitToOwner, type MailboxOwner, mailboxLock } from '../owner.ts';
import { FOLDER_ROLES, FolderChanges, type FolderRole, isRole, NewFolder } from '../schema.ts';
import * as store from './folder-store.ts';
import { hasFoldersIn, levelsBelow, levelsDownTo, removeFolder } from './tree-store.ts';

/** How deep folders lie in each other: what walks up or down a tree stays short. */
export const MOST_LEVELS = 100;

/** Creates the folders of a new user's mailbox. */
export async function createMailbox(tx: WriteTransaction, owner: MailboxOwner): Promise<void> {
  const createdAt = Date.now();
  for (const role of FOLDER_ROLES) {
    const name = `${role.charAt(0).toUpperCase()}${role.slice(1)}`;
    await makeFolder(tx, owner, { name, parentId: '', role, createdAt });
  }
}

/** The folder of this mailbox. Throws ApiError not_found. */
export async function getFolder(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderId: string,
): Promise<store.FoundFolder> {
  const folder = await store.findFolder(tx, owner, folderId);
  if (!folder) throw notFound('folder', folderId);
  return folder;
}

/** The ids of folders that are named by id or role, each once; a role that no folder has is left as it is. */
export async function folderIdsOf(
  tx: ReadTransaction,
  owner: MailboxOwner,
  named: readonly string[],
): Promise<string[]> {
  const ids = named.map(async (id) =>
    isRole(id) ? ((await store.findFolder(tx, owner, id))?.id ?? id) : id,
  );
  return [...new Set(await Promise.all(ids))];
}

/** The folder with this role, whatever its name. Rejects when there is none: no operation removes one. */
export async function getFolderByRole(
  tx: ReadTransaction,
  owner: MailboxOwner,
  role: FolderRole,
): Promise<store.FoundFolder> {
  const folder = await store.findFolderByRole(tx, owner, role);
  if (!folder) throw new Error(`The mailbox of ${owner.userId} has no folder for ${role}`);
  return folder;
}

/** A folder as the API shows it. */
export type FolderRecord = ReturnType<typeof folderRecord>;

function folderRecord(row: store.CountedFolderRow) {
  return {
    id: row.id,
    name: row.name,
    parent_id: row.parentId,
    role: row.role,
    message_count: row.messageCount,
    unread_count: row.unreadCount,
    created_at: new Date(row.createdAt).toISOString(),
  };
}

/** In order of creation. */
export async function listFolders(
  tx: ReadTransaction,
  owner: MailboxOwner,
): Promise<readonly FolderRecord[]> {
  const folders = await gatherInTurns(store.listFolders(tx, owner), folderRecord);
  return sortInTurns(folders, (a, b) => (a.id < b.id ? -1 : 1));
}

/** Creates a folder; its parent is the root when none is named. Throws ApiError not_found or folder_exists. */
export async function createFolder(
  tx: WriteTransaction,
  owner: MailboxOwner,
  given: NewFolder,
): Promise<FolderRecord> {
  requireValues(NewFolder, given);
  const { name, parent_id: parent = '' } = given;
  await tx.lock(mailboxLock(owner));
  const parentId = parent === '' ? '' : (await getFolder(tx, owner, parent)).id;
  await checkDepth(tx, owner, parentId, 1);
  await refuseTaken(tx, owner, { name, parentId });
  const folder = await makeFolder(tx, owner, { name, parentId });
  return folderRecord({ ...folder, messageCount: 0, unreadCount: 0 });
}

/**
 * Changes the name, the parent or both of a folder; its content and its role stay. Throws ApiError not_found for the
 * folder or the parent, folder_cycle, or folder_exists.
 */
export async function updateFolder(
  tx: WriteTransaction,
  owner: MailboxOwner,
  named: string,
  changes: FolderChanges,
): Promise<FolderRecord> {
  requireValues(FolderChanges, changes);
  await tx.lock(mailboxLock(owner));
  const before = await getFolder(tx, owner, named);
  const { id: folderId } = before;
  const { name = before.name, parent_id: parent = before.parentId } = changes;
  const parentId = parent === '' ? '' : (await getFolder(tx, owner, parent)).id;
  if (parentId !== before.parentId && parentId !== '') await checkParent(tx, owner, folderId, parentId);
  await refuseTaken(tx, owner, { name, parentId }, folderId);
  if (name !== before.name || parentId !== before.parentId) {
    await store.updateFolder(tx, owner, folderId, { name, parentId });
    emitToOwner(tx, owner, 'folder.changed', { folder_id: folderId });
  }
  const after = await store.findCountedFolder(tx, owner, folderId);
  if (!after) throw notFound('folder', folderId);
  return folderRecord(after);
}

/** The folder at a path with "/" between levels; creates missing folders. */
export async function ensureFolder(
  tx: WriteTransaction,
  owner: MailboxOwner,
  path: string,
): Promise<store.FoundFolder> {
  await tx.lock(mailboxLock(owner));
  const ensureIn = async (parentId: string, name: string) =>
    (await store.findFolderByName(tx, owner, parentId, name)) ??
    (await makeFolder(tx, owner, { name, parentId }));
  const [first = '', ...others] = path.split('/');
  let folder = await ensureIn('', first);
  for (const name of others) folder = await ensureIn(folder.id, name);
  return folder;
}

/** The id of the folder at a path with "/" between levels. Throws ApiError not_found. */
export async function getFolderByPath(
  tx: ReadTransaction,
  owner: MailboxOwner,
  path: string,
): Promise<string> {
  let id = '';
  for (const name of path.split('/')) {
    const folder = await store.findFolderByName(tx, owner, id, name);
    if (!folder) throw notFound('folder', path);
    id = folder.id;
  }
  return id;
}

async function checkParent(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderId: string,
  parentId: string,
): Promise<void> {
  if (await store.isWithin(tx, owner, parentId, folderId))
    throw new ApiError('folder_cycle', 'A folder cannot be moved into itself or below itself.', {
      folder_id: folderId,
      parent_id: parentId,
    });
  await checkDepth(tx, owner, parentId, await levelsBelow(tx, owner, folderId, MOST_LEVELS));
}

/** Throws ApiError folder_too_deep where so many levels do not fit below the parent. */
async function checkDepth(
  tx: ReadTransaction,
  owner: MailboxOwner,
  parentId: string,
  levels: number,
): Promise<void> {
  if (parentId === '' || (await levelsDownTo(tx, owner, parentId)) + levels <= MOST_LEVELS) return;
  const message = `Folders lie in each other to a depth of ${MOST_LEVELS} at most. Choose a parent nearer to the root.`;
  throw new ApiError('folder_too_deep', message, { parent_id: parentId, most: MOST_LEVELS });
}

/**
 * Removes an empty folder without a role. Messages that were expunged from it go to the inbox when they are restored.
 * Throws ApiError not_found, folder_has_role or folder_not_empty.
 */
export async function deleteFolder(tx: WriteTransaction, owner: MailboxOwner, named: string): Promise<void> {
  await tx.lock(mailboxLock(owner));
  const { id: folderId } = await getFolder(tx, owner, named);
  const folder = await store.findCountedFolder(tx, owner, folderId);
  if (!folder) throw notFound('folder', named);
  const { role, messageCount } = folder;
  if (role !== null) {
    const message = `The folder is the ${role} of the mailbox and stays. It can be renamed and moved.`;
    throw new ApiError('folder_has_role', message, { folder_id: folderId, role });
  }
  const hasFolders = await hasFoldersIn(tx, owner, folderId);
  if (messageCount > 0 || hasFolders) {
    const message = 'Only an empty folder is deleted. Move its messages and its folders elsewhere first.';
    throw new ApiError('folder_not_empty', message, {
      folder_id: folderId,
      message_count: messageCount,
      has_folders: hasFolders,
    });
  }
  await removeFolder(tx, owner, folderId);
  emitToOwner(tx, owner, 'folder.deleted', { folder_id: folderId });
}

async function refuseTaken(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { name, parentId }: { name: string; parentId: string },
  exceptId?: string,
): Promise<void> {
  const existing = await store.findFolderByName(tx, owner, parentId, name);
  if (!existing || existing.id === exceptId) return;
  throw new ApiError('folder_exists', `The parent has a folder "${name}" already.`, {
    folder_id: existing.id,
    name,
    parent_id: parentId,
  });
}

async function makeFolder(
  tx: WriteTransaction,
  owner: MailboxOwner,
  {
    name,
    parentId,
    role = null,
    createdAt = Date.now(),
  }: Pick<store.FolderRow, 'name' | 'parentId'> & Partial<store.FolderRow>,
): Promise<store.FolderRow & store.FoundFolder> {
  const folder = { id: newId('fld'), name, parentId, role, createdAt };
  const number = await store.insertFolder(tx, owner, folder);
  emitToOwner(tx, owner, 'folder.created', { folder_id: folder.id });
  return { ...folder, number };
}
