import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { contentTypeOf, LONG_HEAD_BYTES } from '../../formats/content-type/content-type.ts';

/** The first bytes of a blob. Rejects as `get` does. */
export async function readHead(blobs: BlobStore, key: string, bytes: number): Promise<Buffer> {
  return buffer(await blobs.get(key, { start: 0, end: bytes }));
}

/** The type of a stored blob, whose first HEAD_BYTES are known. Rejects as `get` does. */
export function storedType(blobs: BlobStore, key: string, filename: string, head: Buffer): Promise<string> {
  return contentTypeOf({ filename, head, longHead: () => readHead(blobs, key, LONG_HEAD_BYTES) });
}
