import type { Readable } from 'node:stream';

export interface StoredBlob {
  /** Bytes. */
  size: number;
  /** Lower-case hex of the SHA-256 of the bytes. */
  sha256: string;
}

/** First byte and the byte after the last, counted from 0. What lies beyond the end of the blob is left out. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The blob port: immutable bytes under a key. A row in the database decides whether a blob exists for the
 * product; what a crash leaves behind without a row is swept.
 *
 * A key has 1 to 100 letters, digits, "_" and "-"; every method rejects with a TypeError on another one.
 */
export interface BlobStore {
  /**
   * Stores the bytes under a new key. Resolves when they are durable; when it rejects, nothing is stored.
   * Rejects with BlobsUnavailable on a full or lost store, and with the source's own error when the source fails.
   */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<StoredBlob>;

  /**
   * The bytes, or a range of them, as a stream. Rejects with BlobMissing, or BlobsUnavailable.
   * The stream fails with BlobsUnavailable too; whoever does not read it to its end destroys it.
   */
  get(key: string, range?: ByteRange): Promise<Readable>;

  /** Removes the blob; one that does not exist is removed already. Rejects with BlobsUnavailable. */
  remove(key: string): Promise<void>;

  /** Resolves when the store answers, rejects with BlobsUnavailable when not. */
  check(): Promise<void>;
}

export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';
}

/** The store cannot serve now (disk full, network lost); the same call may succeed later. */
export class BlobsUnavailable extends Error {
  override readonly name = 'BlobsUnavailable';
}
