import { Readable } from 'node:stream';
import type { BlobStore, ByteRange } from '../../blobs/blob-store.ts';
import { Content } from '../../contract/answers.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { getFileRow } from './node-store.ts';
import type { Nodes } from './nodes.ts';
import type { DriveOwner } from './owner.ts';
import type { Wanted } from './rights.ts';

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
