import type { ReadTransaction } from '../../../storage/database.ts';
import type { DriveOwner } from '../owner.ts';
import { documentJson } from '../record.ts';
import type { Rights } from '../rights.ts';
import { listReachedFolders, listRootsAbove } from '../sharing/chain-store.ts';
import {
  type ContentKind,
  findGrantees,
  findSearchedNodes,
  listWithBelow,
  type SearchedNode,
} from './searched-store.ts';

/** A node as the full-text index holds it, without its content. */
export interface IndexedNode {
  readonly id: string;
  readonly kind: ContentKind;
  readonly title: string;
  /** When it last changed, in milliseconds since the epoch. */
  readonly at: number;
  /** Its owner, and the users and groups that it is granted to. */
  readonly principals: readonly string[];
  /**
   * Its folder: whoever reaches a folder of others searches what lies in it, so that it is found as soon as a folder is shared
   * or moved. `roots`: the shared folders above that one, in the order of their ids. Undefined at the root.
   */
  readonly folder: { readonly id: string; readonly roots: readonly string[] } | undefined;
  readonly file: StoredBytes | undefined;
}

/** The bytes of a file. */
export interface StoredBytes {
  readonly filename: string;
  readonly mimeType: string;
  readonly size: number;
  /** Undefined of an empty file. */
  readonly blobKey: string | undefined;
}

/**
 * Files, documents and spreadsheets of a workspace as the full-text index holds them, without their contents. Unknown ones are
 * left out.
 */
export async function indexedNodes(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<IndexedNode[]> {
  const nodes = await findSearchedNodes(tx, workspaceId, ids);
  const grantees = Map.groupBy(await findGrantees(tx, workspaceId, ids), ({ node_id }) => node_id);
  const inActive = nodes.filter(({ parent_state }) => parent_state === 'active');
  const folderIds = new Set(inActive.map(({ parent_id }) => parent_id));
  const roots = await rootsAbove(tx, workspaceId, [...folderIds]);
  return nodes.map((node) => ({
    id: node.id,
    kind: node.kind,
    title: node.title,
    at: node.updated_at,
    principals: [node.owner_id, ...(grantees.get(node.id) ?? []).map(({ principal_id }) => principal_id)],
    folder:
      node.parent_id === '' ? undefined : { id: node.parent_id, roots: roots.get(node.parent_id) ?? [] },
    file: bytesOf(node),
  }));
}

/** The shared folders above each of the folders that has any, in the order of their ids. */
async function rootsAbove(
  tx: ReadTransaction,
  workspaceId: string,
  folderIds: readonly string[],
): Promise<Map<string, string[]>> {
  if (folderIds.length === 0) return new Map();
  const rows = Map.groupBy(await listRootsAbove(tx, workspaceId, folderIds), ({ folder_id }) => folder_id);
  return new Map([...rows].map(([id, above]) => [id, above.map(({ root_id }) => root_id).sort()]));
}

/** A folder with what the full-text index gathers of it. */
export interface FolderOfSearch {
  readonly id: string;
  /** The shared folders above it, in the order of their ids; none of one that is not active. */
  readonly roots: readonly string[];
  /** The folders directly in it. */
  readonly below: readonly string[];
}

/** Folders of a workspace as the full-text index gathers what lies in them. Those that are gone are left out. */
export async function foldersOfSearch(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<FolderOfSearch[]> {
  const rows = Map.groupBy(await listWithBelow(tx, workspaceId, ids), ({ id }) => id);
  const active = [...rows].filter(([, [row]]) => row?.state === 'active').map(([id]) => id);
  const roots = await rootsAbove(tx, workspaceId, active);
  return [...rows].map(([id, some]) => ({
    id,
    roots: roots.get(id) ?? [],
    below: some.flatMap(({ below_id }) => (below_id === null ? [] : [below_id])),
  }));
}

function bytesOf({
  filename,
  mime_type: mimeType,
  size,
  blob_key: blobKey,
}: SearchedNode): StoredBytes | undefined {
  if (filename === null || mimeType === null || size === null) return undefined;
  return { filename, mimeType, size, blobKey: blobKey ?? undefined };
}

/** A node with what a search asks of it. */
export interface FoundNode {
  readonly id: string;
  readonly kind: ContentKind;
  /** The record of lists as ready JSON. */
  readonly record: string;
  readonly title: string;
  readonly at: string;
  readonly ownerId: string;
  readonly isTrashed: boolean;
  /** Undefined for what others own in a folder that the user does not reach. */
  readonly folder: { readonly id: string; readonly name: string } | undefined;
  /** Bytes of a file. */
  readonly size: number | undefined;
  /** The name under which a file was uploaded. */
  readonly filename: string | undefined;
}

/** Those of the nodes that the user sees, with what a search asks of them: in the trash, only the owner sees them. */
export async function foundNodes(
  tx: ReadTransaction,
  rights: Rights,
  user: DriveOwner,
  ids: readonly string[],
): Promise<FoundNode[]> {
  const nodes = await findSearchedNodes(tx, user.workspaceId, ids);
  const others = nodes.filter(({ owner_id }) => owner_id !== user.userId);
  const folderIds = others.flatMap(({ parent_id }) => (parent_id === '' ? [] : [parent_id]));
  const asked = new Set([...others.map(({ id }) => id), ...folderIds]);
  const reached = await rights.reachedAmong(tx, user, [...asked]);
  const isSeen = ({ id, owner_id, state }: SearchedNode) =>
    owner_id === user.userId || (state === 'active' && reached.has(id));
  return nodes
    .filter(isSeen)
    .map((node) => foundNode(node, node.owner_id === user.userId || reached.has(node.parent_id)));
}

/** A folder of others in which a user searches. */
export interface SearchedFolder {
  readonly id: string;
  readonly parentId: string;
}

/** The folders of others that a user reaches, with all below them: what lies in them is indexed under their ids. */
export async function searchedFolders(
  tx: ReadTransaction,
  rights: Rights,
  user: DriveOwner,
): Promise<SearchedFolder[]> {
  const principalIds = await rights.grantedPrincipalIdsOf(tx, user);
  if (principalIds.length === 0) return [];
  const reached = await listReachedFolders(tx, user, principalIds);
  return reached.map(({ id, parent_id: parentId }) => ({ id, parentId }));
}

function foundNode(node: SearchedNode, showsFolder: boolean): FoundNode {
  return {
    id: node.id,
    kind: node.kind,
    record: documentJson(node),
    title: node.title,
    at: new Date(node.updated_at).toISOString(),
    ownerId: node.owner_id,
    isTrashed: node.state !== 'active',
    folder: showsFolder ? { id: node.parent_id, name: node.parent_title ?? '' } : undefined,
    size: node.size ?? undefined,
    filename: node.filename ?? undefined,
  };
}
