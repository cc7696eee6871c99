import { Readable } from 'node:stream';
import type { BlobStore, ByteRange } from '../../blobs/blob-store.ts';
import { Content, JsonText, type Page, type PageRequest } from '../../contract/answers.ts';
import { ApiError } from '../../contract/errors.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { createNode, type NewNode } from './creating.ts';
import { type NodeFilter, pageOfNodes } from './listing/listing.ts';
import { getFileRow } from './node-store.ts';
import type { DriveOwner } from './owner.ts';
import { documentJson } from './record.ts';
import { checkRole, type Reached, type Rights, type Wanted } from './rights.ts';
import type { NodeAction } from './roles.ts';
import { changeNode, type NodeChanges, restoreNode, trashNode } from './tree.ts';
import { touchNode } from './tree-store.ts';

/** What users do with files, documents and spreadsheets alike, each within the rights that they have. */
export class Nodes {
  readonly #rights: Rights;

  constructor(rights: Rights) {
    this.#rights = rights;
  }

  /** Those that a user reaches, newest first; or of those in the trash the user's own. */
  list(tx: ReadTransaction, user: DriveOwner, filter: NodeFilter, page: PageRequest): Promise<Page> {
    return pageOfNodes(tx, this.#rights, user, filter, page);
  }

  /** The record. Throws ApiError not_found. */
  async get(tx: ReadTransaction, user: DriveOwner, wanted: Wanted): Promise<JsonText> {
    const { node } = await this.#rights.require(tx, user, wanted, 'read');
    return new JsonText(documentJson(node));
  }

  /** What a user may read the contents of: in the trash only the owner. Throws ApiError not_found or forbidden. */
  async requireReadable(tx: ReadTransaction, user: DriveOwner, wanted: Wanted): Promise<Reached> {
    const reached = await this.#rights.require(tx, user, wanted, 'readContent');
    if (reached.node.state !== 'active') checkRole(reached, 'readTrashedContent');
    return reached;
  }

  /** What a user may change the contents of. Throws ApiError not_found, forbidden or trashed. */
  async requireWritable(tx: ReadTransaction, user: DriveOwner, wanted: Wanted): Promise<Reached> {
    const reached = await this.#rights.require(tx, user, wanted, 'writeContent');
    if (reached.node.state === 'active') return reached;
    throw new ApiError('trashed', 'It is in the trash; restore it first.', { id: wanted.id });
  }

  /**
   * Puts a node into a folder of its owner; answers its record, with further members of this answer at its end. Throws
   * ApiError not_found or folder_trashed.
   */
  async create(tx: WriteTransaction, owner: DriveOwner, node: NewNode, further?: object): Promise<JsonText> {
    return new JsonText(documentJson(await createNode(tx, owner, node), further));
  }

  /** Throws ApiError not_found for the node or the folder, forbidden or folder_trashed. */
  async update(
    tx: WriteTransaction,
    user: DriveOwner,
    wanted: Wanted,
    changes: NodeChanges,
  ): Promise<JsonText> {
    const reached = await this.#rights.requireLocked(tx, user, wanted, 'read');
    for (const action of actionsOf(reached, changes)) checkRole(reached, action);
    return new JsonText(documentJson(await changeNode(tx, reached.node, changes)));
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

  /** Says that the contents of a node have just changed. It waits for nobody but who changes this very node. */
  touch(tx: WriteTransaction, workspaceId: string, id: string): Promise<void> {
    return touchNode(tx, workspaceId, id, Date.now());
  }
}

/** What the changes come to; one that asks for nothing still has to be made by who could rename. */
function actionsOf({ node }: Reached, { parentId, facts }: NodeChanges): NodeAction[] {
  const moves = parentId !== undefined && parentId !== node.parent_id;
  return [moves ? 'move' : 'rename', ...(facts === undefined ? [] : (['describe'] as const))];
}

/** What files are made of. */
export interface FileDependencies {
  nodes: Nodes;
  blobs: BlobStore;
}

/** The id of a document or a folder is none of a file: such a one is not found. */
export function fileOf(id: string): Wanted {
  return { id, kinds: ['file'], resource: 'file' };
}

/** A stored file whose bytes may be read. */
export interface StoredFile {
  /** The name that it was uploaded under. */
  filename: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Names these very bytes. */
  fingerprint: string;
  /** Milliseconds since the epoch. */
  storedAt: number;
  /** The bytes, or a range of them. Rejects with BlobsUnavailable. */
  open(range?: ByteRange): Promise<Readable>;
}

/** The bytes of a file, to be opened after the transaction. Throws ApiError not_found or forbidden. */
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

/** The bytes as a download: what anybody uploads is never shown as a page of this server. */
export function contentOf(stored: StoredFile): Content {
  const { filename, mimeType, size, fingerprint, storedAt, open } = stored;
  const validators = { etag: `"${fingerprint}"`, lastModified: storedAt };
  return new Content({ mediaType: mimeType, filename, size, validators, ownChunks: true, open });
}
