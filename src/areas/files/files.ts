import { Readable } from 'node:stream';
import { Content, JsonText } from '../../api/answers.ts';
import type { BlobStore, ByteRange } from '../../blobs/blob-store.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { getFileRow } from './node-store.ts';
import type { DriveOwner } from './owner.ts';
import { documentJson } from './record.ts';
import { checkRole, type Reached, type Rights, type Wanted } from './rights.ts';
import type { FileChanges } from './schema.ts';
import { changeNode, restoreNode, trashNode } from './tree.ts';

/** What files are made of. */
export interface FileParts {
  rights: Rights;
  blobs: BlobStore;
}

/** The id of a document or a folder is none of a file: such a one is not found. */
function file(id: string): Wanted {
  return { id, kinds: ['file'], resource: 'file' };
}

/** Throws ApiError not_found. */
export async function getFile(
  tx: ReadTransaction,
  { rights }: FileParts,
  user: DriveOwner,
  id: string,
): Promise<JsonText> {
  const { node } = await rights.require(tx, user, file(id), 'read');
  return new JsonText(documentJson(node));
}

/** Renames or moves a file. Throws ApiError not_found for the file or the folder, forbidden or folder_trashed. */
export async function updateFile(
  tx: WriteTransaction,
  { rights }: FileParts,
  user: DriveOwner,
  id: string,
  { title, folder_id: parentId }: FileChanges,
): Promise<JsonText> {
  const reached = await rights.requireLocked(tx, user, file(id), 'read');
  const moves = parentId !== undefined && parentId !== reached.node.parent_id;
  checkRole(reached, moves ? 'move' : 'rename');
  return new JsonText(documentJson(await changeNode(tx, reached.node, { title, parentId })));
}

/** Throws ApiError not_found or forbidden. */
export async function trashFile(
  tx: WriteTransaction,
  { rights }: FileParts,
  user: DriveOwner,
  id: string,
): Promise<void> {
  const { node } = await rights.requireLocked(tx, user, file(id), 'trash');
  await trashNode(tx, node);
}

/** Throws ApiError not_found or forbidden. */
export async function restoreFile(
  tx: WriteTransaction,
  { rights }: FileParts,
  user: DriveOwner,
  id: string,
): Promise<JsonText> {
  const { node } = await rights.requireLocked(tx, user, file(id), 'restore');
  return new JsonText(documentJson(await restoreNode(tx, node)));
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
  { rights, blobs }: FileParts,
  user: DriveOwner,
  id: string,
): Promise<StoredFile> {
  const { node } = readable(await rights.require(tx, user, file(id), 'readContent'));
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

function readable(reached: Reached): Reached {
  if (reached.node.state !== 'active') checkRole(reached, 'readTrashedContent');
  return reached;
}

/** The bytes as a download: what anybody uploads is never shown as a page of this server. */
export function contentOf(stored: StoredFile): Content {
  const { filename, mimeType, size, fingerprint, storedAt, open } = stored;
  const validators = { etag: `"${fingerprint}"`, lastModified: storedAt };
  return new Content({ mediaType: mimeType, filename, size, validators, open });
}
