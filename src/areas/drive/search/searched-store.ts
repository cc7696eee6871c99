import { sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { isAmong } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import { isAfterKey, orderOfKeys, type StoredKey } from '../../../storage/query/stored-keys.ts';
import type { FileRow, NodeKind, NodeRow } from '../node-store.ts';

/** The kinds of nodes that are searched: all but folders. */
export type ContentKind = Exclude<NodeKind, 'folder'>;

const CONTENT_KINDS = ['file', 'document', 'spreadsheet'] as const satisfies ContentKind[];

/** A node with what a search asks of it. */
export interface SearchedNode
  extends Pick<NodeRow, 'id' | 'owner_id' | 'title' | 'state' | 'record' | 'updated_at' | 'parent_id'> {
  kind: ContentKind;
  /** "" at the root. */
  parent_title: string | null;
  parent_state: NodeRow['state'] | null;
  filename: string | null;
  mime_type: string | null;
  size: number | null;
  blob_key: FileRow['blob_key'];
}

const nodesOfWorkspace = statement((tx, p: { workspaceId: string; ids: string }) =>
  tx
    .selectFrom('nodes as n')
    .leftJoin('nodes as above', (join) =>
      join.onRef('above.workspace_id', '=', 'n.workspace_id').onRef('above.id', '=', 'n.parent_id'),
    )
    .leftJoin('files as f', (join) =>
      join.onRef('f.workspace_id', '=', 'n.workspace_id').onRef('f.node_id', '=', 'n.id'),
    )
    .select([
      'n.id',
      'n.owner_id',
      'n.title',
      'n.state',
      'n.record',
      'n.updated_at',
      'n.parent_id',
      sql<ContentKind>`n.kind`.as('kind'),
      'above.title as parent_title',
      'above.state as parent_state',
      'f.filename',
      'f.mime_type',
      'f.size',
      'f.blob_key',
    ])
    .where('n.workspace_id', '=', p.workspaceId)
    .where(
      'n.kind',
      'in',
      CONTENT_KINDS.map((kind) => sql.lit(kind)),
    )
    .where(isAmong(tx, 'n.id', p.ids)),
);

/** The files, documents and spreadsheets with these ids, of whatever owner in the workspace, in any order. */
export function findSearchedNodes(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<SearchedNode[]> {
  return nodesOfWorkspace(tx, { workspaceId, ids: JSON.stringify(ids) });
}

const grantsOfNodes = statement((tx, p: { workspaceId: string; ids: string }) =>
  tx
    .selectFrom('node_grants')
    .select(['node_id', 'principal_id'])
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'node_id', p.ids)),
);

/** The users and groups that these nodes are granted to, in any order. */
export function findGrantees(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<{ node_id: string; principal_id: string }[]> {
  return grantsOfNodes(tx, { workspaceId, ids: JSON.stringify(ids) });
}

const foldersWithBelow = statement((tx, p: { workspaceId: string; ids: string }) =>
  tx
    .selectFrom('nodes as f')
    .leftJoin('nodes as n', (join) =>
      join
        .on('n.workspace_id', '=', p.workspaceId)
        .onRef('n.owner_id', '=', 'f.owner_id')
        .onRef('n.parent_id', '=', 'f.id')
        .on('n.kind', '=', sql.lit('folder' as const)),
    )
    .select(['f.id', 'f.state', 'n.id as below_id'])
    .where('f.workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'f.id', p.ids)),
);

/** These folders with each folder directly in them, whatever its state; null where there is none. */
export function listWithBelow(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<{ id: string; state: NodeRow['state']; below_id: string | null }[]> {
  return foldersWithBelow(tx, { workspaceId, ids: JSON.stringify(ids) });
}

const nodesAfter = statement((tx, p: StoredKey & { limit: number }) =>
  tx
    .selectFrom('nodes')
    .select(['workspace_id as workspaceId', 'id', 'kind'])
    .where(isAfterKey(tx, p))
    .orderBy(orderOfKeys(tx))
    .limit(p.limit),
);

/** The keys of nodes of all workspaces after one, with their kinds, for a build of the full-text index. */
export function listNodeKeysAfter(
  tx: ReadTransaction,
  after: StoredKey,
  limit: number,
): Promise<(StoredKey & { kind: NodeKind })[]> {
  return nodesAfter(tx, { ...after, limit });
}
