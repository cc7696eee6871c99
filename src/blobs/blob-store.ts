import type { Readable } from 'node:stream';

export interface StoredBlob {
  /** Bytes. */
  size: number;
}

/** First byte and the byte after the last, counted from 0. What lies beyond the end of the blob is left out. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A blob that is uploaded in parts. */
export interface MultipartUpload {
  /** Of the blob that it becomes. */
  key: string;
  /** What `begin` answered. */
  handle: string;
}

/** Which bytes of a blob a part has: all parts but the last are equally long, at least 5 MiB and at most 10,000 of them. */
export interface PartPosition {
  /** From 1. */
  number: number;
  /** Bytes before it. */
  start: number;
  /** Bytes. */
  size: number;
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
   * A chunk is not looked at any more once the next one is asked for; so it is in `putPart`.
   * Rejects with BlobsUnavailable on a full or lost store, and with the source's own error when the source fails.
   */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<StoredBlob>;

  /**
   * The bytes, or a range of them, as a stream. Rejects with BlobMissing, or BlobsUnavailable.
   * Its chunks are the reader's own. The stream fails with BlobsUnavailable too; whoever does not read it to its end destroys it.
   */
  get(key: string, range?: ByteRange): Promise<Readable>;

  /**
   * Removes the blob, and what a process that died in a `put` has left of it, where opening the store does not do that.
   * One that does not exist is removed already. Rejects with BlobsUnavailable.
   */
  remove(key: string): Promise<void>;

  /**
   * Begins an upload in parts: there is no blob until it is completed, and no space is taken until a part comes.
   * Answers its handle. Rejects with BlobsUnavailable, as all the following do.
   */
  begin(key: string): Promise<string>;

  /**
   * Writes a part to its position, over what is there; the caller sees to it that nobody else writes there at the same
   * time. Resolves when the bytes are durable, with the tag that `complete` has to be told. When it rejects, the bytes at
   * the position are undefined. Rejects with BlobMissing when the store does not have the upload any more, with the
   * source's own error when the source fails, and with a RangeError when the source is longer or shorter than `size`.
   */
  putPart(
    upload: MultipartUpload,
    position: PartPosition,
    content: AsyncIterable<Uint8Array>,
  ): Promise<string>;

  /**
   * Makes the blob of its parts, without copying them: `tags` are theirs, in order. An upload that is complete already stays
   * as it is. Rejects with BlobMissing when the store has neither the parts nor the blob.
   */
  complete(upload: MultipartUpload, tags: readonly string[]): Promise<void>;

  /** Frees the space of the parts. An upload that is completed or aborted already is left as it is. */
  abort(upload: MultipartUpload): Promise<void>;

  /** Bytes that still fit; Infinity where the store does not say. */
  free(): Promise<number>;

  /** Resolves when the store answers, rejects with BlobsUnavailable when not. */
  check(): Promise<void>;
}

export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';
}

/** The store cannot serve now (disk full, network lost); the same call may succeed later. */
export class BlobsUnavailable extends Error {
  override readonly name: string = 'BlobsUnavailable';
}

/** There is no room for what was to be written. */
export class BlobsFull extends BlobsUnavailable {
  override readonly name = 'BlobsFull';
}

/** The key itself. Throws a TypeError when it has other characters than the port allows: it becomes part of a path. */
export function checkedKey(key: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(key)) throw new TypeError('Not a blob key');
  return key;
}
