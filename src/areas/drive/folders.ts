import { ApiError, notFound } from '../../contract/errors.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { findNode, type NodeRow } from './node-store.ts';
import { type DriveOwner, driveLock } from './owner.ts';
import { ownerOf, type Rights, type Wanted } from './rights.ts';
import { listChain } from './sharing/chain-store.ts';

/** Only finds folders. */
export function folderOf(id: string): Wanted {
  return { id, kinds: ['folder'], resource: 'file_folder' };
}

/**
 * Checks that the owner's folder ("" for the root) accepts what the owner moves there. In a write transaction that holds
 * the lock of the tree, this remains true until the commit. Throws ApiError not_found or folder_trashed.
 */
export async function checkTarget(tx: ReadTransaction, owner: DriveOwner, folderId: string): Promise<void> {
  if (folderId === '') return;
  const folder = await findFolder(tx, owner, folderId);
  if (!folder) throw notFound('file_folder', folderId);
  checkActive(folder);
}

/**
 * The owner of the tree that a user adds something to: the owner of the folder, for whom an editor adds it; at the root
 * ("") the user. Throws ApiError not_found, forbidden or folder_trashed.
 */
export async function requireTarget(
  tx: ReadTransaction,
  rights: Rights,
  user: DriveOwner,
  folderId: string,
): Promise<DriveOwner> {
  if (folderId === '') return { workspaceId: user.workspaceId, userId: user.userId };
  const { node } = await rights.require(tx, user, folderOf(folderId), 'addTo');
  checkActive(node);
  return ownerOf(node);
}

/** The same with the lock of the tree: the result remains true until the transaction ends. */
export async function requireLockedTarget(
  tx: WriteTransaction,
  rights: Rights,
  user: DriveOwner,
  folderId: string,
): Promise<DriveOwner> {
  await tx.lock(driveLock(await requireTarget(tx, rights, user, folderId)));
  return requireTarget(tx, rights, user, folderId);
}

/** How deep folders lie in each other: each look at what lies in one walks up to the root. */
export const MOST_LEVELS = 100;

/** Throws ApiError folder_too_deep where so many levels of folders do not fit below a folder; "" is the root. */
export async function checkDepth(
  tx: ReadTransaction,
  { workspaceId }: DriveOwner,
  parentId: string,
  levels: number,
): Promise<void> {
  if (parentId === '' || (await listChain(tx, workspaceId, parentId)).length + levels <= MOST_LEVELS) return;
  const message = `Folders lie in each other to a depth of ${MOST_LEVELS} at most. Choose a folder nearer to the root.`;
  throw new ApiError('folder_too_deep', message, { parent_id: parentId, most: MOST_LEVELS });
}

function checkActive({ id, state }: NodeRow): void {
  if (state === 'active') return;
  throw new ApiError('folder_trashed', 'The folder is in the trash; restore it first, or choose another.', {
    folder_id: id,
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
