import { JsonText } from '../../contract/answers.ts';
import { requireValues } from '../../contract/required-values.ts';
import { newId } from '../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { gatherInTurns, mapInTurns, runsOf, sortInTurns } from '../../turns/in-turns.ts';
import { giveWay } from '../../turns/next-turn.ts';
import { createNode } from './create-node.ts';
import { folderOf } from './folders.ts';
import { listFolders, type NodeRow } from './node-store.ts';
import { checkChanges, includesRole } from './nodes.ts';
import type { DriveOwner } from './owner.ts';
import { folderJson } from './record.ts';
import { type Rights, withOwnRoles } from './rights.ts';
import { FileFolderChanges, NewFileFolder, type RecordPart } from './schema.ts';
import { findNodes, listReachedFolders } from './sharing/chain-store.ts';
import { changeNode, restoreNode, trashNode } from './tree.ts';

/** Which folders are listed. */
export interface FolderFilter {
  /** The user's own folders that were trashed themselves, instead of all active ones that the user reaches. */
  trashed: boolean;
  /** Only folders of others. */
  shared: boolean;
  include?: readonly RecordPart[] | undefined;
}

/** Folders read by one statement: other requests get a turn in between. */
const FOLDERS_A_STATEMENT = 500;

/**
 * The folders of a user and those of others that the user reaches, or the user's own that were trashed themselves, in order of
 * creation.
 */
export async function listFileFolders(
  tx: ReadTransaction,
  rights: Rights,
  user: DriveOwner,
  { trashed, shared, include }: FolderFilter,
): Promise<readonly JsonText[]> {
  const withRoles = includesRole(include);
  const [own, others] = await Promise.all([
    shared ? [] : gatherInTurns(listFolders(tx, user, trashed ? 'trashed' : 'active'), listed),
    trashed ? [] : sharedFolders(tx, rights, user),
  ]);
  const sorted = await sortInTurns([...own, ...others], byCreation);
  const records = await mapInTurns(sorted, ({ json }) => json);
  return mapInTurns(withRoles ? await recordsWithRoles(tx, rights, user, records) : records, jsonText);
}

async function sharedFolders(tx: ReadTransaction, rights: Rights, user: DriveOwner): Promise<ListedFolder[]> {
  const principalIds = await rights.grantedPrincipalIdsOf(tx, user);
  if (principalIds.length === 0) return [];
  const reached = await listReachedFolders(tx, user, principalIds);
  const found: ListedFolder[] = [];
  for (const some of runsOf(reached, FOLDERS_A_STATEMENT)) {
    const rows = await findNodes(
      tx,
      user.workspaceId,
      some.map(({ id }) => id),
    );
    found.push(...rows.map(listed));
    await giveWay();
  }
  return found;
}

async function recordsWithRoles(
  tx: ReadTransaction,
  rights: Rights,
  user: DriveOwner,
  records: readonly string[],
): Promise<string[]> {
  const all: string[] = [];
  for (const some of runsOf(records, FOLDERS_A_STATEMENT)) {
    all.push(...(await withOwnRoles(tx, rights, user, some)));
    await giveWay();
  }
  return all;
}

function jsonText(json: string): JsonText {
  return new JsonText(json);
}

function listed(row: NodeRow): ListedFolder {
  return { id: row.id, createdAt: row.created_at, json: folderJson(row) };
}

interface ListedFolder {
  id: string;
  createdAt: number;
  json: string;
}

function byCreation(a: ListedFolder, b: ListedFolder): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

/** Throws ApiError not_found for the parent, forbidden or folder_trashed. */
export async function createFileFolder(
  tx: WriteTransaction,
  rights: Rights,
  user: DriveOwner,
  given: NewFileFolder,
): Promise<JsonText> {
  requireValues(NewFileFolder, given);
  const { name, parent_id: parentId = '' } = given;
  const folder = { id: newId('dir'), kind: 'folder', title: name, folderId: parentId, facts: '' } as const;
  return new JsonText(folderJson(await createNode(tx, rights, user, folder)));
}

/** Throws ApiError not_found for the folder or the new parent, forbidden, folder_cycle or folder_trashed. */
export async function updateFileFolder(
  tx: WriteTransaction,
  rights: Rights,
  user: DriveOwner,
  id: string,
  changes: FileFolderChanges,
): Promise<JsonText> {
  requireValues(FileFolderChanges, changes);
  const { name: title, parent_id: parentId } = changes;
  const reached = await rights.requireLocked(tx, user, folderOf(id), 'read');
  checkChanges(reached, { parentId });
  return new JsonText(folderJson(await changeNode(tx, reached.node, { title, parentId })));
}

/** Moves a folder to the trash and hides what is in it. Throws ApiError not_found or forbidden. */
export async function trashFileFolder(
  tx: WriteTransaction,
  rights: Rights,
  user: DriveOwner,
  id: string,
): Promise<void> {
  const { node } = await rights.requireLocked(tx, user, folderOf(id), 'trash');
  await trashNode(tx, node);
}

/** Restores a folder and exactly the nodes that were hidden with it. Throws ApiError not_found or forbidden. */
export async function restoreFileFolder(
  tx: WriteTransaction,
  rights: Rights,
  user: DriveOwner,
  id: string,
): Promise<JsonText> {
  const { node } = await rights.requireLocked(tx, user, folderOf(id), 'restore');
  return new JsonText(folderJson(await restoreNode(tx, node)));
}
