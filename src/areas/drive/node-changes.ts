import type { ChangeType } from '../../contract/change-types.ts';
import { emitBatch } from '../../storage/changes.ts';
import type { Actor, WriteTransaction } from '../../storage/database.ts';
import { runsOf } from '../../turns/in-turns.ts';
import { giveWay } from '../../turns/next-turn.ts';
import type { NodeKind, NodeRow } from './node-store.ts';
import { listUsersWithGrants } from './sharing/chain-store.ts';
import { listReaders } from './sharing/grant-store.ts';

/** What the change feed calls each kind of node, and the name of its id. */
const NAMES = {
  file: { object: 'file', id: 'file_id', ids: 'file_ids' },
  folder: { object: 'file_folder', id: 'folder_id', ids: 'folder_ids' },
  document: { object: 'document', id: 'document_id', ids: 'document_ids' },
  spreadsheet: { object: 'spreadsheet', id: 'spreadsheet_id', ids: 'spreadsheet_ids' },
} as const satisfies Record<NodeKind, object>;

type NodeEvent = 'created' | 'changed' | 'trashed' | 'restored' | 'shared' | 'unshared';

/** A node and who sees it at this moment: its owner, and everyone with a grant on it or on a folder above it. */
export interface SeenNode {
  readonly workspaceId: string;
  readonly id: string;
  readonly kind: NodeKind;
  readonly viewers: readonly string[];
}

/** The columns that tell who owns a node. */
type OwnedNode = Pick<NodeRow, 'workspace_id' | 'id' | 'kind' | 'owner_id'>;

/** A node that only its owner sees. */
export function unsharedNode({ workspace_id, id, kind, owner_id }: OwnedNode): SeenNode {
  return { workspaceId: workspace_id, id, kind, viewers: [owner_id] };
}

/** A node with everyone who sees it. `isShared`: false where it is known that it has no grant and is in no folder. */
export async function seenNode(tx: WriteTransaction, node: OwnedNode, isShared = true): Promise<SeenNode> {
  const seen = unsharedNode(node);
  if (!isShared) return seen;
  const readers = await listUsersWithGrants(tx, node.workspace_id, node.id);
  return { ...seen, viewers: [...new Set([...seen.viewers, ...readers])] };
}

/**
 * Reports a change of a node that has been moved: to those who see it before and after. Whoever has gained or lost it by
 * the move learns that instead.
 */
export function emitMoved(
  tx: WriteTransaction,
  before: SeenNode,
  after: SeenNode,
  event: NodeEvent,
  further?: Readonly<Record<string, unknown>>,
): void {
  const [had, has] = [new Set(before.viewers), new Set(after.viewers)];
  const to = (viewers: readonly string[]): SeenNode => ({ ...after, viewers });
  const [lost, gained] = [[...had].filter((id) => !has.has(id)), [...has].filter((id) => !had.has(id))];
  if (lost.length > 0) emitNode(tx, to(lost), 'unshared');
  emitNode(tx, to([...has].filter((id) => had.has(id))), event, further);
  if (gained.length > 0) emitNode(tx, to(gained), 'shared');
}

/**
 * Reports to everyone who sees a node what has happened to it; `further` follows its id. `actor`: only where several users
 * share the transaction.
 */
export function emitNode(
  tx: WriteTransaction,
  { workspaceId, id, kind, viewers }: SeenNode,
  event: NodeEvent,
  further: Readonly<Record<string, unknown>> = {},
  actor?: Actor,
): void {
  const ids = { [NAMES[kind].id]: id, ...further };
  tx.emit({ workspaceId, type: typeOf(kind, event), viewers, ids, ...(actor && { actor }) });
}

/**
 * Reports what has happened to nodes together with a folder above them, to those whom they are shared with. Whoever sees
 * the folder learns of the folder alone.
 */
export async function emitBelow(
  tx: WriteTransaction,
  { workspaceId, viewers }: SeenNode,
  nodeIds: ReadonlySet<string>,
  event: 'trashed' | 'restored',
): Promise<void> {
  const seers = new Set(viewers);
  const batches = new Map<string, { kind: NodeKind; reader: string; ids: string[] }>();
  for (const portion of runsOf([...nodeIds], NODES_A_STATEMENT)) {
    for (const { node_id, node_kind: kind, user_id: reader } of await listReaders(tx, workspaceId, portion))
      if (!seers.has(reader))
        batches.getOrInsertComputed(`${kind} ${reader}`, () => ({ kind, reader, ids: [] })).ids.push(node_id);
    await giveWay();
  }
  for (const { kind, reader, ids } of batches.values())
    emitBatch(
      tx,
      { workspaceId, type: typeOf(kind, event), viewers: [reader], ids: {} },
      NAMES[kind].ids,
      ids,
    );
}

const NODES_A_STATEMENT = 500;

function typeOf<Event extends NodeEvent>(kind: NodeKind, event: Event): ChangeType {
  return `${NAMES[kind].object}.${event}`;
}
