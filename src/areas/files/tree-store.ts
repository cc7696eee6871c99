import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { NodeRow, NodeState } from './node-store.ts';
import type { DriveOwner } from './owner.ts';

/** Stores what a change makes of a node, in its grants as well. */
export async function updateNode(tx: WriteTransaction, node: NodeRow): Promise<void> {
  const { workspace_id, id, title, search_text, parent_id, state, updated_at } = node;
  await tx
    .updateTable('nodes')
    .set({ title, search_text, parent_id, state, updated_at })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .execute();
  await tx
    .updateTable('node_grants')
    .set({ node_parent_id: parent_id, node_state: state })
    .where('workspace_id', '=', workspace_id)
    .where('node_id', '=', id)
    .execute();
}

/**
 * Gives everything below a folder that is in the one state the other, at any depth; it stops at what is in neither.
 * Grants follow.
 */
export async function changeStateBelow(
  tx: WriteTransaction,
  owner: DriveOwner,
  folderId: string,
  from: NodeState,
  to: NodeState,
): Promise<void> {
  // The grants first: once the nodes are changed, nothing below is found in the former state.
  await below(tx, owner, folderId, from)
    .updateTable('node_grants')
    .set({ node_state: to })
    .where('workspace_id', '=', owner.workspaceId)
    .where('node_id', 'in', (query) => query.selectFrom('below').select('below.id'))
    .execute();
  await below(tx, owner, folderId, from)
    .updateTable('nodes')
    .set({ state: to })
    .where('workspace_id', '=', owner.workspaceId)
    .where('id', 'in', (query) => query.selectFrom('below').select('below.id'))
    .execute();
}

/** The nodes below a folder that are in this state, and so are all folders on the way to them. */
function below(tx: WriteTransaction, owner: DriveOwner, folderId: string, state: NodeState) {
  return tx.withRecursive('below(id, kind)', (query) =>
    query
      .selectFrom('nodes')
      .select(['nodes.id', 'nodes.kind'])
      .where('nodes.owner_id', '=', owner.userId)
      .where('nodes.parent_id', '=', folderId)
      .where('nodes.state', '=', state)
      .unionAll((next) =>
        next
          .selectFrom('below')
          .innerJoin('nodes', 'nodes.parent_id', 'below.id')
          .select(['nodes.id', 'nodes.kind'])
          .where('below.kind', '=', 'folder')
          .where('nodes.owner_id', '=', owner.userId)
          .where('nodes.state', '=', state),
      ),
  );
}

/** Whether a folder is another, or somewhere below it. */
export async function isWithin(
  tx: ReadTransaction,
  owner: DriveOwner,
  folderId: string,
  ancestorId: string,
): Promise<boolean> {
  const row = await tx
    .withRecursive('above(id, parent_id)', (query) =>
      query
        .selectFrom('nodes')
        .select(['nodes.id', 'nodes.parent_id'])
        .where('nodes.workspace_id', '=', owner.workspaceId)
        .where('nodes.id', '=', folderId)
        .unionAll((next) =>
          next
            .selectFrom('above')
            .innerJoin('nodes', 'nodes.id', 'above.parent_id')
            .select(['nodes.id', 'nodes.parent_id'])
            .where('nodes.workspace_id', '=', owner.workspaceId),
        ),
    )
    .selectFrom('above')
    .select('above.id')
    .where('above.id', '=', ancestorId)
    .executeTakeFirst();
  return row !== undefined;
}
