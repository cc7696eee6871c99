import type { Readable } from 'node:stream';
import { newId } from '../platform/ids.ts';
import { type Database, StorageUnavailable, type WriteTransaction } from '../storage/database.ts';
import { currentWorkspace } from '../turns/current-user.ts';
import type { BlobStore, ByteRange } from './blob-store.ts';
import { Checksum, removeChecksum, saveChecksum } from './checksum.ts';
import {
  abandonPending,
  claimPending,
  insertPending,
  listPending,
  type NotedBlob,
  PendingRegistry,
  removePending,
} from './pending-store.ts';

/**
 * Content up to this size is stored in the database: one durable write for the content and its row.
 * Larger content is streamed to the blob store.
 */
const MAX_IN_DATABASE = 100 * 1024;

/**
 * Bytes sent to the blob store before the pending row is durable: less than a part, which S3 would retain after a
 * crash.
 */
const MAX_BEFORE_REGISTERED = 1024 * 1024;

/** A blob that no transaction has taken over within this time is of a process that has ended. */
const ABANDONED_AFTER_MS = 6 * 60 * 60 * 1000;

/** The location of bytes: in their row, or in the blob store. */
export type RawLocation = { raw: Uint8Array; blobKey: null } | { raw: null; blobKey: string };

/** Completely received bytes that wait for their transaction. */
export interface StagedBytes {
  /** Whose they are until then. */
  workspaceId: string;
  location: RawLocation;
  /** Bytes. */
  size: number;
  /** CRC-32 of bytes in the blob store. */
  checksum: number;
  /** Releases their storage unless a transaction has taken them over. */
  discard(): Promise<void>;
}

/** Receives bytes before the transaction that stores them begins. */
export class Staging {
  readonly #database: Database;
  readonly #blobs: BlobStore;
  readonly #pending: PendingRegistry;

  constructor(database: Database, blobs: BlobStore) {
    this.#database = database;
    this.#blobs = blobs;
    this.#pending = new PendingRegistry(database);
  }

  /**
   * Reads the source to its end, for the workspace that takes the bytes over. Rejects with the errors of the source, the
   * database or the blob store.
   */
  async stage(source: AsyncIterable<Uint8Array>, workspaceId = currentWorkspace()): Promise<StagedBytes> {
    const chunks = source[Symbol.asyncIterator]();
    const head = await readUpTo(chunks, MAX_IN_DATABASE);
    if (head.ended) return inDatabase(workspaceId, head.bytes);
    try {
      return await this.stageBlob(followedBy(head.bytes, chunks), workspaceId);
    } finally {
      // A failed store may not have read the source at all, and so not have ended it.
      await chunks.return?.();
    }
  }

  /**
   * Reads the source to its end into the blob store, even if it is small; empty content gets no blob. Rejects as
   * `stage`.
   */
  async stageBlob(
    content: AsyncIterable<Uint8Array>,
    workspaceId = currentWorkspace(),
  ): Promise<StagedBytes> {
    const blobKey = newId('blob');
    const blob = { workspaceId, blobKey };
    const registered = this.#pending.add(blob);
    // The reader of the content gets the error; it may not have started yet.
    registered.catch(() => undefined);
    try {
      const checksum = new Checksum();
      const { size } = await this.#blobs.put(blobKey, onceRegistered(checksum.of(content), registered));
      if (size === 0) {
        await this.#discard(blob);
        return inDatabase(workspaceId, Buffer.alloc(0));
      }
      return {
        workspaceId,
        location: { raw: null, blobKey },
        size,
        checksum: checksum.value,
        discard: () => this.#discard(blob),
      };
    } catch (error) {
      await registered.catch(() => undefined);
      await this.#discard(blob);
      throw error;
    }
  }

  /** The bytes at a location, or a range of them. Rejects with BlobsUnavailable. */
  async open({ raw, blobKey }: RawLocation, range?: ByteRange): Promise<Readable | Uint8Array> {
    return raw?.subarray(range?.start, range?.end) ?? this.#blobs.get(blobKey ?? '', range);
  }

  /** Removes blobs of processes that ended before the transaction. */
  async sweep(): Promise<void> {
    const abandoned = await this.#database.read(async (tx) =>
      listPending(tx, (await tx.now()) - ABANDONED_AFTER_MS),
    );
    for (const blob of abandoned) await this.#remove(blob);
  }

  /** Ignores errors: the sweep removes the blob later, and the error that led here is the one to report. */
  #discard(blob: NotedBlob): Promise<void> {
    return this.#remove(blob).catch(() => undefined);
  }

  /** Removes a blob unless it has been taken over: the result of that commit may be unknown here. */
  async #remove(blob: NotedBlob): Promise<void> {
    if (!(await this.#database.write((tx) => abandonPending(tx, blob)))) return;
    await this.#blobs.remove(blob.blobKey);
    await this.#database.write((tx) => removePending(tx, blob));
  }
}

/**
 * Takes staged bytes over into the transaction that stores them. Throws StorageUnavailable when they were abandoned.
 */
export async function takeOver(
  tx: WriteTransaction,
  {
    workspaceId,
    location: { blobKey },
    checksum,
  }: Pick<StagedBytes, 'workspaceId' | 'location' | 'checksum'>,
): Promise<void> {
  if (blobKey === null) return;
  const blob = { workspaceId, blobKey };
  if (!(await claimPending(tx, blob)))
    throw new StorageUnavailable('What was taken in waited for too long and was given up');
  await saveChecksum(tx, blob, checksum);
}

/**
 * Gives up the bytes of a row of a workspace that names them no more; the sweep removes them after those who read them
 * have ended.
 */
export async function release(
  tx: WriteTransaction,
  workspaceId: string,
  { blobKey }: Pick<RawLocation, 'blobKey'>,
): Promise<void> {
  if (blobKey === null) return;
  await removeChecksum(tx, { workspaceId, blobKey });
  await insertPending(tx, workspaceId, [blobKey], await tx.now());
}

function inDatabase(workspaceId: string, raw: Buffer): StagedBytes {
  return {
    workspaceId,
    location: { raw, blobKey: null },
    size: raw.length,
    checksum: 0,
    discard: async () => undefined,
  };
}

/** Reads chunks until there are more than `most` bytes, or the source ends. */
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

/**
 * The same content. Pauses after MAX_BEFORE_REGISTERED bytes and at its end until the pending row is durable: otherwise
 * a crash could leave a blob that the sweep does not find.
 */
async function* onceRegistered(
  content: AsyncIterable<Uint8Array>,
  registered: Promise<void>,
): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const chunk of content) {
    passed += chunk.length;
    if (passed > MAX_BEFORE_REGISTERED) await registered;
    yield chunk;
  }
  await registered;
}

/** The bytes read already, then the rest. */
async function* followedBy(head: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
}
