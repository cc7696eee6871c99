import { JsonText } from '../../contract/answers.ts';
import { requireValues } from '../../contract/required-values.ts';
import { newId } from '../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { gatherInTurns, mapInTurns, sortInTurns } from '../../turns/in-turns.ts';
import { createNode } from './creating.ts';
import { requireFolder } from './folders.ts';
import { listFolders, type NodeRow } from './node-store.ts';
import { type DriveOwner, driveLock } from './owner.ts';
import { folderJson } from './record.ts';
import { FileFolderChanges, NewFileFolder } from './schema.ts';
import { changeNode, restoreNode, trashNode } from './tree.ts';

/** All active folders of an owner, or all folders that were trashed themselves, in order of creation. */
export async function listFileFolders(
  tx: ReadTransaction,
  owner: DriveOwner,
  trashed: boolean,
): Promise<readonly JsonText[]> {
  const rows = listFolders(tx, owner, trashed ? 'trashed' : 'active');
  const folders = await gatherInTurns(rows, listedFolder);
  return mapInTurns(await sortInTurns(folders, byCreation), ({ json }) => json);
}

function listedFolder(row: NodeRow): ListedFolder {
  return { id: row.id, createdAt: row.created_at, json: new JsonText(folderJson(row)) };
}

interface ListedFolder {
  id: string;
  createdAt: number;
  json: JsonText;
}

function byCreation(a: ListedFolder, b: ListedFolder): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

/** Throws ApiError not_found for the parent, or folder_trashed. */
export async function createFileFolder(
  tx: WriteTransaction,
  owner: DriveOwner,
  given: NewFileFolder,
): Promise<JsonText> {
  requireValues(NewFileFolder, given);
  const { name, parent_id: parentId = '' } = given;
  const folder = { id: newId('dir'), kind: 'folder', title: name, folderId: parentId, facts: '' } as const;
  return new JsonText(folderJson(await createNode(tx, owner, folder)));
}

/** Throws ApiError not_found for the folder or the new parent, folder_cycle or folder_trashed. */
export async function updateFileFolder(
  tx: WriteTransaction,
  owner: DriveOwner,
  id: string,
  changes: FileFolderChanges,
): Promise<JsonText> {
  requireValues(FileFolderChanges, changes);
  const { name: title, parent_id: parentId } = changes;
  const folder = await lockedFolder(tx, owner, id);
  return new JsonText(folderJson(await changeNode(tx, folder, { title, parentId })));
}

/** Throws ApiError not_found. */
export async function trashFileFolder(tx: WriteTransaction, owner: DriveOwner, id: string): Promise<void> {
  await trashNode(tx, await lockedFolder(tx, owner, id));
}

/** Throws ApiError not_found. */
export async function restoreFileFolder(
  tx: WriteTransaction,
  owner: DriveOwner,
  id: string,
): Promise<JsonText> {
  return new JsonText(folderJson(await restoreNode(tx, await lockedFolder(tx, owner, id))));
}

async function lockedFolder(tx: WriteTransaction, owner: DriveOwner, id: string): Promise<NodeRow> {
  await tx.lock(driveLock(owner));
  return requireFolder(tx, owner, id);
}
