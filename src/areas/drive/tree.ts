import { ApiError } from '../../contract/errors.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { fold } from '../../text/fold.ts';
import { levelsBelow } from './depth-store.ts';
import { checkDepth, checkTarget, isActiveFolder, MOST_LEVELS } from './folders.ts';
import { indexTitle } from './listing/search-store.ts';
import { emitBelow, emitMoved, emitNode, type SeenNode, seenNode } from './node-changes.ts';
import type { NodeRow } from './node-store.ts';
import { withRecord } from './record.ts';
import { ownerOf } from './rights.ts';
import { isWithin, listBelow, updateNode, updateStates } from './tree-store.ts';

// Changes of a node of any kind. The caller holds the lock of its tree. Each function returns the node after the
// change, and stores and reports nothing if there is nothing to change.

/** Changes of a node; an absent field stays as it is. */
export interface NodeChanges {
  title?: string | undefined;
  parentId?: string | undefined;
  facts?: string | undefined;
}

/** What the report of a change of a node has besides its id. */
export type FurtherIds = (
  tx: WriteTransaction,
  changed: NodeRow,
) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Renames, moves and describes a node; `furtherIds` follow its id where that is reported. Throws ApiError not_found,
 * folder_cycle, folder_trashed or folder_too_deep for the new parent.
 */
export async function changeNode(
  tx: WriteTransaction,
  node: NodeRow,
  { title = node.title, parentId = node.parent_id, facts = node.facts }: NodeChanges,
  furtherIds?: FurtherIds,
): Promise<NodeRow> {
  if (title === node.title && parentId === node.parent_id && facts === node.facts) return node;
  const named = { ...node, title, search_text: fold(title), facts };
  if (parentId === node.parent_id) return save(tx, node, named, furtherIds);
  await checkMove(tx, node, parentId);
  // A node that was hidden with its old folder becomes active in the new one.
  const state = node.state === 'hidden' ? 'active' : node.state;
  return save(tx, node, { ...named, parent_id: parentId, state }, furtherIds);
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
  if (node.kind === 'folder' && parentId !== '')
    await checkDepth(tx, owner, parentId, await levelsBelow(tx, owner, node.id, MOST_LEVELS));
}

async function save(
  tx: WriteTransaction,
  before: NodeRow,
  after: NodeRow,
  furtherIds?: FurtherIds,
): Promise<NodeRow> {
  const node = withRecord({ ...after, updated_at: Date.now() });
  const isMoved = node.parent_id !== before.parent_id;
  const seenBefore = isMoved ? await seenNode(tx, before) : undefined;
  const seen = await updateNode(tx, node);
  await indexTitle(tx, before, node);
  const event = eventOf(before, node);
  const further = event === 'changed' ? await furtherIds?.(tx, node) : {};
  if (seenBefore) emitMoved(tx, seenBefore, seen, event, further);
  else emitNode(tx, seen, event, further);
  if (node.kind === 'folder' && event !== 'changed') await updateStatesBelow(tx, node, seen, event);
  return node;
}

/** What leaves the trash is restored, also where that is because it was moved. */
function eventOf(before: NodeRow, after: NodeRow): 'changed' | 'trashed' | 'restored' {
  if ((before.state === 'active') === (after.state === 'active')) return 'changed';
  return after.state === 'active' ? 'restored' : 'trashed';
}

/** Hides the nodes below a folder that stops being active, and shows the hidden ones again when it becomes active. */
async function updateStatesBelow(
  tx: WriteTransaction,
  folder: NodeRow,
  seen: SeenNode,
  event: 'trashed' | 'restored',
): Promise<void> {
  const [from, to] = event === 'restored' ? (['hidden', 'active'] as const) : (['active', 'hidden'] as const);
  const owner = ownerOf(folder);
  const shared = await updateStates(tx, owner, await listBelow(tx, owner, folder.id, from), to);
  await emitBelow(tx, seen, shared, event);
}
