import type { Readable } from 'node:stream';

export interface StoredBlob {
  /** Bytes. */
  size: number;
}

/** A byte range from `start`, counted from 0, to `end` (exclusive). It may extend beyond the end of the blob. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A blob that is uploaded in parts. */
export interface MultipartUpload {
  /** The key of the future blob. */
  key: string;
  /** The result of `begin`. */
  handle: string;
}

/** The byte range of a part. All parts but the last have equal size, at least 5 MiB; there are at most 10,000. */
export interface PartPosition {
  /** From 1. */
  number: number;
  /** The offset of its first byte. */
  start: number;
  /** Bytes. */
  size: number;
}

/**
 * The blob port: immutable bytes under a key. For the product, a blob exists if a row of the database refers to it;
 * blobs without a row, left by a crash, are swept.
 *
 * A key has 1 to 100 letters, digits, "_" and "-"; every method rejects with a TypeError for another key.
 */
export interface BlobStore {
  /**
   * Stores the bytes under a new key. Resolves when they are durable; when it rejects, nothing is stored. As in
   * `putPart`, a chunk is no longer read once the next one is requested, so the source may reuse its memory. Rejects
   * with BlobsUnavailable for a full or lost store, and with the source's own error when the source fails.
   */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<StoredBlob>;

  /**
   * The bytes, or a range of them, as a stream. Rejects with BlobMissing or BlobsUnavailable; the stream may also fail
   * with BlobsUnavailable. Chunks belong to the reader. A reader that does not read the stream to its end must destroy
   * it.
   */
  get(key: string, range?: ByteRange): Promise<Readable>;

  /**
   * Removes the blob, and the remains of an unfinished `put` of a dead process unless opening the store does that.
   * Resolves if the blob does not exist. Rejects with BlobsUnavailable.
   */
  remove(key: string): Promise<void>;

  /**
   * Begins an upload in parts: there is no blob until it is completed, and no space is used until a part is stored.
   * Returns its handle. Rejects with BlobsUnavailable, as all the following methods do.
   */
  begin(key: string): Promise<string>;

  /**
   * Writes a part to its byte range, overwriting earlier bytes; the caller must prevent concurrent writes to the range.
   * Resolves when the bytes are durable, with the tag that `complete` needs. When it rejects, the bytes of the range
   * are undefined. Rejects with BlobMissing when the store no longer has the upload, with the source's own error when
   * the source fails, and with a RangeError when the source is longer or shorter than `size`.
   */
  putPart(
    upload: MultipartUpload,
    position: PartPosition,
    content: AsyncIterable<Uint8Array>,
  ): Promise<string>;

  /**
   * Assembles the blob from its parts without copying them; `tags`: those of the parts, in order. No effect if the
   * upload is complete already. Rejects with BlobMissing when the store has neither the parts nor the blob.
   */
  complete(upload: MultipartUpload, tags: readonly string[]): Promise<void>;

  /** Frees the space of the parts. No effect if the upload is completed or aborted already. */
  abort(upload: MultipartUpload): Promise<void>;

  /** The free space in bytes; Infinity if the store does not report it. */
  free(): Promise<number>;

  /** Resolves when the store responds, else rejects with BlobsUnavailable. */
  check(): Promise<void>;
}

export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';
}

/** The store cannot serve now (disk full, network lost); the same call may succeed later. */
export class BlobsUnavailable extends Error {
  override readonly name: string = 'BlobsUnavailable';
}

/** There is no space for a write. */
export class BlobsFull extends BlobsUnavailable {
  override readonly name = 'BlobsFull';
}

/**
 * Returns a valid key. Throws a TypeError for characters that the port does not allow: a key becomes part of a path.
 */
export function checkedKey(key: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(key)) throw new TypeError('Not a blob key');
  return key;
}
