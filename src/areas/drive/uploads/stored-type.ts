import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import {
  contentTypeOf,
  HEAD_BYTES,
  type ReadableContent,
} from '../../../formats/content-type/content-type.ts';

/** A blob of so many bytes, of which any part can be read. Rejects as `get` does. */
export function readableBlob(blobs: BlobStore, key: string, size: number): ReadableContent {
  const read = async (start: number, end: number) => {
    const range = { start: Math.max(0, start), end: Math.min(end, size) };
    return range.start < range.end ? buffer(await blobs.get(key, range)) : Buffer.alloc(0);
  };
  return { size, read };
}

/** The type of a stored blob. Rejects as `get` does. */
export async function storedType(
  blobs: BlobStore,
  key: string,
  size: number,
  filename: string,
): Promise<string> {
  const content = readableBlob(blobs, key, size);
  const head = await content.read(0, HEAD_BYTES);
  return contentTypeOf({ filename, head, whole: async () => content });
}
