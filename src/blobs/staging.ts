import type { Readable } from 'node:stream';
import { newId } from '../platform/ids.ts';
import { type Database, StorageUnavailable, type WriteTransaction } from '../storage/database.ts';
import type { BlobStore, ByteRange } from './blob-store.ts';
import { Checksum, saveChecksum } from './checksum.ts';
import { claimPending, forgetPending, giveUpPending, listPending, PendingNotes } from './pending-store.ts';

/**
 * Bytes up to this size are kept in the database: one durable write for them and the row that they belong to.
 * More go to the blob store as they arrive.
 */
const MAX_IN_DATABASE = 100 * 1024;

/** So much goes to the blob store while the note is being written: less than a part, which S3 keeps when we are gone. */
const MAX_BEFORE_NOTE = 1024 * 1024;

/** A blob that no transaction has taken over in this time came from a process that has ended. */
const ABANDONED_AFTER_MS = 6 * 60 * 60 * 1000;

/** Where bytes are: in their row, or in the blob store. */
export type RawLocation = { raw: Uint8Array; blobKey: null } | { raw: null; blobKey: string };

/** Bytes that have arrived whole and wait for their transaction. */
export interface StagedBytes {
  location: RawLocation;
  /** Bytes. */
  size: number;
  /** CRC-32 of bytes in the blob store. */
  checksum: number;
  /** Gives back what they hold when no transaction has taken them over. */
  discard(): Promise<void>;
}

/** Takes bytes in before the transaction that keeps them opens. */
export class Staging {
  readonly #database: Database;
  readonly #blobs: BlobStore;
  readonly #notes: PendingNotes;

  constructor(database: Database, blobs: BlobStore) {
    this.#database = database;
    this.#blobs = blobs;
    this.#notes = new PendingNotes(database);
  }

  /** Reads the source to its end. Rejects with what the source, the database or the blob store reject with. */
  async stage(source: AsyncIterable<Uint8Array>): Promise<StagedBytes> {
    const chunks = source[Symbol.asyncIterator]();
    const head = await readUpTo(chunks, MAX_IN_DATABASE);
    if (head.ended) return inDatabase(head.bytes);
    try {
      return await this.stageBlob(followedBy(head.bytes, chunks));
    } finally {
      // A store that fails may not have asked for any of them, and so have ended none.
      await chunks.return?.();
    }
  }

  /** Reads the source to its end, into the blob store however little it is; only nothing is no blob. Rejects as `stage`. */
  async stageBlob(content: AsyncIterable<Uint8Array>): Promise<StagedBytes> {
    const blobKey = newId('blob');
    const noted = this.#notes.add(blobKey);
    // Whoever reads the content hears of it, and may not have begun to.
    noted.catch(() => undefined);
    try {
      const checksum = new Checksum();
      const { size } = await this.#blobs.put(blobKey, onceNoted(checksum.of(content), noted));
      if (size === 0) {
        await this.#discard(blobKey);
        return inDatabase(Buffer.alloc(0));
      }
      return {
        location: { raw: null, blobKey },
        size,
        checksum: checksum.value,
        discard: () => this.#discard(blobKey),
      };
    } catch (error) {
      await noted.catch(() => undefined);
      await this.#discard(blobKey);
      throw error;
    }
  }

  /** The bytes, staged or kept, or a range of them. Rejects with BlobsUnavailable. */
  async open({ raw, blobKey }: RawLocation, range?: ByteRange): Promise<Readable | Uint8Array> {
    return raw?.subarray(range?.start, range?.end) ?? this.#blobs.get(blobKey ?? '', range);
  }

  /** Removes what was taken in by processes that ended before its transaction. */
  async sweep(): Promise<void> {
    const abandoned = await this.#database.read(async (tx) =>
      listPending(tx, (await tx.now()) - ABANDONED_AFTER_MS),
    );
    for (const blobKey of abandoned) await this.#remove(blobKey);
  }

  /** What cannot be removed now the sweep removes; the reason for giving it up matters more than that. */
  #discard(blobKey: string): Promise<void> {
    return this.#remove(blobKey).catch(() => undefined);
  }

  /** Removes a blob unless it has been taken over: of a commit whose answer was lost nobody here knows. */
  async #remove(blobKey: string): Promise<void> {
    if (!(await this.#database.write((tx) => giveUpPending(tx, blobKey)))) return;
    await this.#blobs.remove(blobKey);
    await this.#database.write((tx) => forgetPending(tx, blobKey));
  }
}

/** Makes what was staged part of the transaction that keeps it. Throws StorageUnavailable when it was given up. */
export async function takeOver(
  tx: WriteTransaction,
  { location: { blobKey }, checksum }: Pick<StagedBytes, 'location' | 'checksum'>,
): Promise<void> {
  if (blobKey === null) return;
  if (!(await claimPending(tx, blobKey)))
    throw new StorageUnavailable('What was taken in waited for too long and was given up');
  await saveChecksum(tx, blobKey, checksum);
}

function inDatabase(raw: Buffer): StagedBytes {
  return { location: { raw, blobKey: null }, size: raw.length, checksum: 0, discard: async () => undefined };
}

/** Reads chunks until there are more than `most` bytes, or none are left. */
async function readUpTo(
  chunks: AsyncIterator<Uint8Array>,
  most: number,
): Promise<{ bytes: Buffer; ended: boolean }> {
  const read: Uint8Array[] = [];
  for (let size = 0; size <= most; ) {
    const { value, done } = await chunks.next();
    if (done) return { bytes: Buffer.concat(read), ended: true };
    read.push(value);
    size += value.length;
  }
  return { bytes: Buffer.concat(read), ended: false };
}

/** The same content, which goes far and ends only when its note is kept: a store holds nothing before that outlives us. */
async function* onceNoted(
  content: AsyncIterable<Uint8Array>,
  noted: Promise<void>,
): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const chunk of content) {
    passed += chunk.length;
    if (passed > MAX_BEFORE_NOTE) await noted;
    yield chunk;
  }
  await noted;
}

/** What was read already, then the rest. */
async function* followedBy(head: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
}
