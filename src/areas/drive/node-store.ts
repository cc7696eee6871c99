import { type Selectable, sql } from 'kysely';
import type { BlobOwner } from '../../storage/blob-owner.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { insertion } from '../../storage/query/insertion.ts';
import { ROWS_A_PORTION, readInPortions } from '../../storage/query/json-parameters.ts';
import { numberedInsertion, statement } from '../../storage/query/statement.ts';
import type { Files as FileRow, NodeKind, NodeState, Nodes } from '../../storage/schema/tables.ts';
import type { DriveOwner } from './owner.ts';

/** The content of a file is a blob. */
export const FILES_BLOBS: BlobOwner = {
  table: 'files',
  columns: ['node_id'],
  name: async (_tx, [nodeId]) => `file ${nodeId}`,
};

export type { FileRow, NodeKind, NodeState };
export type NodeRow = Selectable<Nodes>;
/** A node whose number has not been assigned yet. */
export type NewNodeRow = Omit<NodeRow, 'number'>;

const nodeById = statement((tx, p: { workspaceId: string; id: string }) =>
  tx.selectFrom('nodes').selectAll().where('workspace_id', '=', p.workspaceId).where('id', '=', p.id),
);

/** The node with this id, for any owner; undefined if the workspace has no such node. */
export async function findNode(
  tx: ReadTransaction,
  workspaceId: string,
  id: string,
): Promise<NodeRow | undefined> {
  const [row] = await nodeById(tx, { workspaceId, id });
  return row;
}

const insertRow = numberedInsertion((tx, p: NewNodeRow) =>
  tx.insertInto('nodes').values({
    workspace_id: p.workspace_id,
    id: p.id,
    kind: p.kind,
    owner_id: p.owner_id,
    parent_id: p.parent_id,
    title: p.title,
    search_text: p.search_text,
    state: p.state,
    facts: p.facts,
    record: p.record,
    place: p.place,
    created_at: p.created_at,
    updated_at: p.updated_at,
  }),
);

/** Inserts a node. Returns it with the number that it was assigned. */
export async function insertNode(tx: WriteTransaction, node: NewNodeRow): Promise<NodeRow> {
  return { ...node, number: await insertRow(tx, node) };
}

/** Inserts the content of a file: the blob key of its bytes and their properties. */
export const insertFile = insertion('files');

const fileByNode = statement((tx, p: { workspaceId: string; nodeId: string }) =>
  tx
    .selectFrom('files')
    .selectAll()
    .where('workspace_id', '=', p.workspaceId)
    .where('node_id', '=', p.nodeId),
);

/** The content row of a file that exists in the workspace. */
export async function getFileRow(tx: ReadTransaction, workspaceId: string, nodeId: string): Promise<FileRow> {
  const [row] = await fileByNode(tx, { workspaceId, nodeId });
  if (!row) throw new TypeError(`The node ${nodeId} has no file`);
  return row;
}

/** All folders of an owner in this state, in portions, by sort key. */
export function listFolders(
  tx: ReadTransaction,
  { workspaceId, userId }: DriveOwner,
  state: NodeState,
): AsyncGenerator<readonly NodeRow[]> {
  return readInPortions((last) => foldersAfter(tx, { workspaceId, userId, state, after: last?.place ?? '' }));
}

const foldersAfter = statement((tx, p: DriveOwner & { state: NodeState; after: string }) =>
  tx
    .selectFrom('nodes')
    .selectAll()
    .where('workspace_id', '=', p.workspaceId)
    .where('owner_id', '=', p.userId)
    .where('kind', '=', 'folder')
    .where('state', '=', p.state)
    .where('place', '>', p.after)
    .orderBy('place')
    .limit(sql.lit(ROWS_A_PORTION)),
);
