import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import type { Files as FileRow, NodeKind, Nodes as NodeRow, NodeState } from '../../storage/tables.ts';

export type { FileRow, NodeKind, NodeRow, NodeState };

const nodeById = statement((tx, p: { workspaceId: string; id: string }) =>
  tx.selectFrom('nodes').selectAll().where('workspace_id', '=', p.workspaceId).where('id', '=', p.id),
);

/** The node with this id, whoever owns it; undefined when the workspace has none such. */
export async function findNode(
  tx: ReadTransaction,
  workspaceId: string,
  id: string,
): Promise<NodeRow | undefined> {
  const [row] = await nodeById(tx, { workspaceId, id });
  return row;
}

export async function insertNode(tx: WriteTransaction, node: NodeRow): Promise<void> {
  await tx.insertInto('nodes').values(node).execute();
}

/** Stores the bytes' place beside the node of their file. */
export async function insertFile(tx: WriteTransaction, file: FileRow): Promise<void> {
  await tx.insertInto('files').values(file).execute();
}
