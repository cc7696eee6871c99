import { ApiError, notFound } from '../../contract/errors.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { findNode, type NodeRow } from './node-store.ts';
import type { DriveOwner } from './owner.ts';

/** A folder of this owner. Throws ApiError not_found. Folders are not shared, so other users do not find them. */
export async function requireFolder(tx: ReadTransaction, owner: DriveOwner, id: string): Promise<NodeRow> {
  const folder = await findFolder(tx, owner, id);
  if (!folder) throw notFound('file_folder', id);
  return folder;
}

/**
 * Checks that the owner's folder ("" for the root) accepts new content. In a write transaction that holds the lock of
 * the tree, this remains true until the commit. Throws ApiError not_found or folder_trashed.
 */
export async function checkTarget(tx: ReadTransaction, owner: DriveOwner, folderId: string): Promise<void> {
  if (folderId === '') return;
  const { state } = await requireFolder(tx, owner, folderId);
  if (state === 'active') return;
  throw new ApiError('folder_trashed', 'The folder is in the trash; restore it first, or choose another.', {
    folder_id: folderId,
  });
}

/** Whether this is the root, or a folder that is neither trashed nor hidden. */
export async function isActiveFolder(
  tx: ReadTransaction,
  owner: DriveOwner,
  folderId: string,
): Promise<boolean> {
  return folderId === '' || (await findFolder(tx, owner, folderId))?.state === 'active';
}

async function findFolder(tx: ReadTransaction, owner: DriveOwner, id: string): Promise<NodeRow | undefined> {
  const node = await findNode(tx, owner.workspaceId, id);
  return node?.kind === 'folder' && node.owner_id === owner.userId ? node : undefined;
}
