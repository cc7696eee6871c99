import { ApiError } from '../../contract/errors.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { fold } from '../../text/fold.ts';
import { checkTarget, isActiveFolder } from './folders.ts';
import { indexTitle } from './listing/search-store.ts';
import type { NodeRow } from './node-store.ts';
import { withRecord } from './record.ts';
import { ownerOf } from './rights.ts';
import { isWithin, listBelow, updateNode, updateStates } from './tree-store.ts';

// What can be done to a node of any kind. The lock of its tree is held. Each function answers the node as it is then,
// and leaves alone what is already as it should be.

/** What is to become of a node; what is absent stays. */
export interface NodeChanges {
  title?: string | undefined;
  parentId?: string | undefined;
  facts?: string | undefined;
}

/** Renames, moves and describes. Throws ApiError not_found, folder_cycle or folder_trashed for the new parent. */
export async function changeNode(
  tx: WriteTransaction,
  node: NodeRow,
  { title = node.title, parentId = node.parent_id, facts = node.facts }: NodeChanges,
): Promise<NodeRow> {
  if (title === node.title && parentId === node.parent_id && facts === node.facts) return node;
  const named = { ...node, title, search_text: fold(title), facts };
  if (parentId === node.parent_id) return save(tx, node, named);
  await checkMove(tx, node, parentId);
  // What was hidden with its folder leaves it, for one that is active.
  const state = node.state === 'hidden' ? 'active' : node.state;
  return save(tx, node, { ...named, parent_id: parentId, state });
}

/** Moves a node to the trash; what is in a folder is hidden with it. */
export async function trashNode(tx: WriteTransaction, node: NodeRow): Promise<NodeRow> {
  return node.state === 'active' ? save(tx, node, { ...node, state: 'trashed' }) : node;
}

/**
 * Takes a node out of the trash, and with a folder exactly what was hidden with it. "Where the parent is gone or
 * trashed, restore goes to the root."
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
  if (node.kind === 'folder') await carryBelow(tx, before, node);
  return node;
}

/** What is below a folder that stops being active is hidden; what was hidden with it comes back with it. */
async function carryBelow(tx: WriteTransaction, before: NodeRow, folder: NodeRow): Promise<void> {
  if ((before.state === 'active') === (folder.state === 'active')) return;
  const [from, to] =
    folder.state === 'active' ? (['hidden', 'active'] as const) : (['active', 'hidden'] as const);
  const owner = ownerOf(folder);
  await updateStates(tx, owner, await listBelow(tx, owner, folder.id, from), to);
}
