import { ApiError } from '../../contract/errors.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { fold } from '../../text/fold.ts';
import { checkTarget, isActiveFolder } from './folders.ts';
import { indexTitle } from './listing/search-store.ts';
import type { NodeRow } from './node-store.ts';
import { withRecord } from './record.ts';
import { ownerOf } from './rights.ts';
import { isWithin, listBelow, updateNode, updateStates } from './tree-store.ts';

// Changes of a node of any kind. The caller holds the lock of its tree. Each function returns the node after the
// change, and stores nothing if there is nothing to change.

/** Changes of a node; an absent field stays as it is. */
export interface NodeChanges {
  title?: string | undefined;
  parentId?: string | undefined;
  facts?: string | undefined;
}

/** Renames, moves and describes a node. Throws ApiError not_found, folder_cycle or folder_trashed for the new parent. */
export async function changeNode(
  tx: WriteTransaction,
  node: NodeRow,
  { title = node.title, parentId = node.parent_id, facts = node.facts }: NodeChanges,
): Promise<NodeRow> {
  if (title === node.title && parentId === node.parent_id && facts === node.facts) return node;
  const named = { ...node, title, search_text: fold(title), facts };
  if (parentId === node.parent_id) return save(tx, node, named);
  await checkMove(tx, node, parentId);
  // A node that was hidden with its old folder becomes active in the new one.
  const state = node.state === 'hidden' ? 'active' : node.state;
  return save(tx, node, { ...named, parent_id: parentId, state });
}

/** Moves a node to the trash. The contents of a folder are hidden with it. */
export async function trashNode(tx: WriteTransaction, node: NodeRow): Promise<NodeRow> {
  return node.state === 'active' ? save(tx, node, { ...node, state: 'trashed' }) : node;
}

/**
 * Restores a node from the trash; for a folder also exactly the nodes that were hidden with it. "Where the parent is
 * gone or trashed, restore goes to the root."
 */
export async function restoreNode(tx: WriteTransaction, node: NodeRow): Promise<NodeRow> {
  if (node.state === 'active') return node;
  const stays = await isActiveFolder(tx, ownerOf(node), node.parent_id);
  return save(tx, node, { ...node, state: 'active', parent_id: stays ? node.parent_id : '' });
}

async function checkMove(tx: WriteTransaction, node: NodeRow, parentId: string): Promise<void> {
  const owner = ownerOf(node);
  if (node.kind === 'folder' && (await isWithin(tx, owner, parentId, node.id))) {
    throw new ApiError('folder_cycle', 'A folder cannot be moved into itself or below itself.', {
      folder_id: node.id,
      parent_id: parentId,
    });
  }
  await checkTarget(tx, owner, parentId);
}

async function save(tx: WriteTransaction, before: NodeRow, after: NodeRow): Promise<NodeRow> {
  const node = withRecord({ ...after, updated_at: Date.now() });
  await updateNode(tx, node);
  await indexTitle(tx, before, node);
  if (node.kind === 'folder') await updateStatesBelow(tx, before, node);
  return node;
}

/** Hides the nodes below a folder that stops being active, and shows the hidden ones again when it becomes active. */
async function updateStatesBelow(tx: WriteTransaction, before: NodeRow, folder: NodeRow): Promise<void> {
  if ((before.state === 'active') === (folder.state === 'active')) return;
  const [from, to] =
    folder.state === 'active' ? (['hidden', 'active'] as const) : (['active', 'hidden'] as const);
  const owner = ownerOf(folder);
  await updateStates(tx, owner, await listBelow(tx, owner, folder.id, from), to);
}
