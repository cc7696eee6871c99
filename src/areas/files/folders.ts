import { ApiError, notFound } from '../../api/errors.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { findNode } from './node-store.ts';
import type { DriveOwner } from './owner.ts';

/**
 * Makes sure that something may be put into this folder of the owner, "" for the root. Under a write, with the lock of
 * the tree held, it stays so. Throws ApiError not_found or folder_trashed.
 */
export async function checkTarget(tx: ReadTransaction, owner: DriveOwner, folderId: string): Promise<void> {
  if (folderId === '') return;
  const node = await findNode(tx, owner.workspaceId, folderId);
  if (node?.kind !== 'folder' || node.owner_id !== owner.userId) throw notFound('file_folder', folderId);
  if (node.state === 'active') return;
  throw new ApiError('folder_trashed', 'The folder is in the trash; restore it first, or choose another.', {
    folder_id: folderId,
  });
}
