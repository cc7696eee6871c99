import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { command, statement } from '../../storage/query/statement.ts';
import { type SeenNode, seenNode } from './node-changes.ts';
import type { NodeRow, NodeState } from './node-store.ts';
import type { DriveOwner } from './owner.ts';
import { listChain } from './sharing/chain-store.ts';

/** Stores a changed node, and copies its folder and state to its grants. Returns who sees it. */
export async function updateNode(tx: WriteTransaction, node: NodeRow): Promise<SeenNode> {
  const { workspace_id, id, title, search_text, parent_id, state, facts, record, updated_at } = node;
  await tx
    .updateTable('nodes')
    .set({ title, search_text, parent_id, state, facts, record, updated_at })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .execute();
  const { numUpdatedRows: grants } = await tx
    .updateTable('node_grants')
    .set({ node_parent_id: parent_id, node_state: state })
    .where('workspace_id', '=', workspace_id)
    .where('node_id', '=', id)
    .executeTakeFirst();
  return seenNode(tx, node, grants > 0n || parent_id !== '');
}

const holding = statement((tx: WriteTransaction, p: { workspaceId: string; id: string }) => {
  const node = tx
    .selectFrom('nodes')
    .select(['workspace_id', 'id', 'kind', 'owner_id', 'parent_id'])
    .select((e) =>
      e
        .selectFrom('node_grants as g')
        .select('g.id')
        .where('g.workspace_id', '=', p.workspaceId)
        .whereRef('g.node_id', '=', 'nodes.id')
        .limit(sql.lit(1))
        .as('some_grant'),
    )
    .where('workspace_id', '=', p.workspaceId)
    .where('id', '=', p.id);
  return tx.engine === 'postgres' ? node.forNoKeyUpdate() : node;
});

/**
 * Locks the row of a node as `touchNode` will, so that nobody moves the node between the look-up of who sees it and the end
 * of the transaction. Returns who sees the node.
 */
export async function holdNode(tx: WriteTransaction, workspaceId: string, id: string): Promise<SeenNode> {
  const [node] = await holding(tx, { workspaceId, id });
  if (!node) throw new TypeError(`There is no node ${id}`);
  return seenNode(tx, node, node.some_grant !== null || node.parent_id !== '');
}

/**
 * Sets only the time of the last change of a node, in milliseconds. A writer of contents therefore needs no tree lock:
 * neither writer overwrites columns of the other.
 */
export const touchNode = command((tx, p: { workspaceId: string; id: string; now: number }) =>
  tx
    .updateTable('nodes')
    .set({ updated_at: p.now })
    .where('workspace_id', '=', p.workspaceId)
    .where('id', '=', p.id),
);

const idsBelow = statement((tx, p: DriveOwner & { folderId: string; state: NodeState }) =>
  tx
    .withRecursive('below(id, kind)', (query) =>
      query
        .selectFrom('nodes')
        .select(['nodes.id', 'nodes.kind'])
        .where('nodes.workspace_id', '=', p.workspaceId)
        .where('nodes.owner_id', '=', p.userId)
        .where('nodes.parent_id', '=', p.folderId)
        .where('nodes.state', '=', p.state)
        .union((next) =>
          next
            .selectFrom('below')
            .innerJoin('nodes', 'nodes.parent_id', 'below.id')
            .select(['nodes.id', 'nodes.kind'])
            .where('below.kind', '=', 'folder')
            .where('nodes.workspace_id', '=', p.workspaceId)
            .where('nodes.owner_id', '=', p.userId)
            .where('nodes.state', '=', p.state),
        ),
    )
    .selectFrom('below')
    .select('below.id'),
);

/**
 * The nodes below a folder, at any depth, that are in this state together with all folders between. Each node is listed
 * once, because folders in a restored backup may form a cycle.
 */
export async function listBelow(
  tx: ReadTransaction,
  { workspaceId, userId }: DriveOwner,
  folderId: string,
  state: NodeState,
): Promise<string[]> {
  return (await idsBelow(tx, { workspaceId, userId, folderId, state })).map((row) => row.id);
}

/** In portions: SQLite lets other users run in between, and PostgreSQL finds each node by its key. */
const NODES_A_STATEMENT = 500;

/** Sets the state of these nodes, and its copy in their grants. Returns the ids of those that are shared. */
export async function updateStates(
  tx: WriteTransaction,
  { workspaceId }: DriveOwner,
  nodeIds: readonly string[],
  state: NodeState,
): Promise<ReadonlySet<string>> {
  const shared = new Set<string>();
  for (let i = 0; i < nodeIds.length; i += NODES_A_STATEMENT) {
    const ids = nodeIds.slice(i, i + NODES_A_STATEMENT);
    await tx
      .updateTable('nodes')
      .set({ state })
      .where('workspace_id', '=', workspaceId)
      .where('id', 'in', ids)
      .execute();
    const grants = await tx
      .updateTable('node_grants')
      .set({ node_state: state })
      .where('workspace_id', '=', workspaceId)
      .where('node_id', 'in', ids)
      .returning('node_id')
      .execute();
    for (const { node_id } of grants) shared.add(node_id);
  }
  return shared;
}

/** Whether a folder is the other folder, or below it at any depth. */
export async function isWithin(
  tx: ReadTransaction,
  { workspaceId }: DriveOwner,
  folderId: string,
  ancestorId: string,
): Promise<boolean> {
  return (await listChain(tx, workspaceId, folderId)).includes(ancestorId);
}
