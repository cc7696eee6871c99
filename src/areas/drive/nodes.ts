import { Readable } from 'node:stream';
import type { BlobStore, ByteRange } from '../../blobs/blob-store.ts';
import { Content, JsonText, type Page, type PageRequest } from '../../contract/answers.ts';
import { ApiError } from '../../contract/errors.ts';
import { requireParameter } from '../../contract/required-values.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { createNode, type NewNode } from './create-node.ts';
import { type NodeFilter, pageOfNodes } from './listing/listing.ts';
import type { SeenNode } from './node-changes.ts';
import { getFileRow } from './node-store.ts';
import type { DriveOwner } from './owner.ts';
import { documentJson } from './record.ts';
import { checkRole, type Reached, type Rights, type Wanted, withOwnRoles } from './rights.ts';
import { Include, type RecordPart } from './schema.ts';
import { changeNode, type FurtherIds, type NodeChanges, restoreNode, trashNode } from './tree.ts';
import { holdNode, touchNode } from './tree-store.ts';

/** What records of nodes have beside the rest where it is asked for. */
export interface WithParts {
  include?: readonly RecordPart[] | undefined;
}

/** Whether records are to have the role of the caller. Throws ApiError validation_failed for what is no part. */
export function includesRole(include: readonly RecordPart[] = []): boolean {
  requireParameter(Include, include, 'include');
  return include.includes('role');
}

/** Operations that files, documents and spreadsheets have in common. Each checks the rights of the user. */
export class Nodes {
  readonly #rights: Rights;

  constructor(rights: Rights) {
    this.#rights = rights;
  }

  /** The nodes that a user has access to, newest first; or the user's own nodes in the trash. */
  async list(
    tx: ReadTransaction,
    user: DriveOwner,
    { include, ...filter }: NodeFilter & WithParts,
    page: PageRequest,
  ): Promise<Page> {
    const { records, ...found } = await pageOfNodes(tx, this.#rights, user, filter, page);
    const shown = includesRole(include) ? await withOwnRoles(tx, this.#rights, user, records) : records;
    return { ...found, items: new JsonText(`[${shown.join()}]`) };
  }

  /** The record. Throws ApiError not_found. */
  async get(
    tx: ReadTransaction,
    user: DriveOwner,
    wanted: Wanted,
    { include }: WithParts = {},
  ): Promise<JsonText> {
    const { node, role } = await this.#rights.require(tx, user, wanted, 'read');
    return new JsonText(includesRole(include) ? documentJson(node, { role }) : documentJson(node));
  }

  /** A node whose contents the user may read; in the trash only the owner may. Throws ApiError not_found or forbidden. */
  async requireReadable(tx: ReadTransaction, user: DriveOwner, wanted: Wanted): Promise<Reached> {
    const reached = await this.#rights.require(tx, user, wanted, 'readContent');
    if (reached.node.state !== 'active') checkRole(reached, 'readTrashedContent');
    return reached;
  }

  /** A node whose contents the user may change. Throws ApiError not_found, forbidden or trashed. */
  async requireWritable(tx: ReadTransaction, user: DriveOwner, wanted: Wanted): Promise<Reached> {
    const reached = await this.#rights.require(tx, user, wanted, 'writeContent');
    if (reached.node.state === 'active') return reached;
    throw new ApiError('trashed', 'It is in the trash; restore it first.', { id: wanted.id });
  }

  /**
   * Creates a node for a user; in a folder, it belongs to the owner of the folder. Returns its record; the members of
   * `further` follow at its end. Throws ApiError not_found, forbidden or folder_trashed.
   */
  async create(tx: WriteTransaction, user: DriveOwner, node: NewNode, further?: object): Promise<JsonText> {
    return new JsonText(documentJson(await createNode(tx, this.#rights, user, node), further));
  }

  /**
   * Renames, moves and describes a node; `furtherIds` follow its id in the change feed. Throws ApiError not_found for the
   * node or the folder, forbidden or folder_trashed.
   */
  async update(
    tx: WriteTransaction,
    user: DriveOwner,
    wanted: Wanted,
    changes: NodeChanges,
    furtherIds?: FurtherIds,
  ): Promise<JsonText> {
    const reached = await this.#rights.requireLocked(tx, user, wanted, 'read');
    checkChanges(reached, changes);
    return new JsonText(documentJson(await changeNode(tx, reached.node, changes, furtherIds)));
  }

  /** Throws ApiError not_found or forbidden. */
  async trash(tx: WriteTransaction, user: DriveOwner, wanted: Wanted): Promise<void> {
    const { node } = await this.#rights.requireLocked(tx, user, wanted, 'trash');
    await trashNode(tx, node);
  }

  /** Throws ApiError not_found or forbidden. */
  async restore(tx: WriteTransaction, user: DriveOwner, wanted: Wanted): Promise<JsonText> {
    const { node } = await this.#rights.requireLocked(tx, user, wanted, 'restore');
    return new JsonText(documentJson(await restoreNode(tx, node)));
  }

  /**
   * Keeps a node whose contents are about to change where it is until the transaction ends. It waits only for other changes of
   * the same node. Returns who sees the node, for `emitNode`.
   */
  hold(tx: WriteTransaction, workspaceId: string, id: string): Promise<SeenNode> {
    return holdNode(tx, workspaceId, id);
  }

  /** Records that the contents of a node that is held have just changed. */
  touch(tx: WriteTransaction, workspaceId: string, id: string): Promise<void> {
    return touchNode(tx, { workspaceId, id, now: Date.now() });
  }
}

/**
 * Checks that the role of a user allows these changes. An update without any change still requires the right to rename.
 * Throws ApiError forbidden.
 */
export function checkChanges(reached: Reached, { parentId, facts }: NodeChanges): void {
  const isMove = parentId !== undefined && parentId !== reached.node.parent_id;
  checkRole(reached, isMove ? 'move' : 'rename');
  if (facts !== undefined) checkRole(reached, 'describe');
}

/** The services that files use. */
export interface FileDependencies {
  nodes: Nodes;
  blobs: BlobStore;
}

/** Only finds files: the id of a document or a folder leads to not_found. */
export function fileOf(id: string): Wanted {
  return { id, kinds: ['file'], resource: 'file' };
}

/** A stored file whose bytes the caller may read. */
export interface StoredFile {
  /** The name under which it was uploaded. */
  filename: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Identifies the bytes: other bytes have another fingerprint. */
  fingerprint: string;
  /** Milliseconds since the epoch. */
  storedAt: number;
  /** The bytes, or a range of them. Rejects with BlobsUnavailable. */
  open(range?: ByteRange): Promise<Readable>;
}

/** Stored bytes that the user may read, to be opened after the transaction. Throws ApiError not_found or forbidden. */
export async function findStoredFile(
  tx: ReadTransaction,
  { nodes, blobs }: FileDependencies,
  user: DriveOwner,
  id: string,
): Promise<StoredFile> {
  const { node } = await nodes.requireReadable(tx, user, fileOf(id));
  const { filename, mime_type: mimeType, size, blob_key: key } = await getFileRow(tx, node.workspace_id, id);
  return {
    filename,
    mimeType,
    size,
    fingerprint: key ?? 'empty',
    storedAt: node.created_at,
    open: async (range) => (key === null ? Readable.from([]) : blobs.get(key, range)),
  };
}

/** The bytes as a download, so that a browser never shows an uploaded file as a page of this server. */
export function contentOf(stored: StoredFile): Content {
  const { filename, mimeType, size, fingerprint, storedAt, open } = stored;
  const validators = { etag: `"${fingerprint}"`, lastModified: storedAt };
  return new Content({ mediaType: mimeType, filename, size, validators, ownChunks: true, open });
}
