import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import {
  BlobMissing,
  type BlobStore,
  BlobsUnavailable,
  type PartPosition,
} from '../../../blobs/blob-store.ts';
import { Checksum } from '../../../blobs/checksum.ts';
import { ApiError } from '../../../contract/errors.ts';
import type { Received } from '../../../contract/operation.ts';
import { newId } from '../../../platform/ids.ts';
import type { Database, WriteTransaction } from '../../../storage/database.ts';
import type { DriveOwner } from '../owner.ts';
import { freeingChunks, withDigest } from './received-content.ts';
import { partNumber, partPosition } from './upload-schema.ts';
import { closedRefusal, endSession, isLive, lockedSession } from './upload-session.ts';
import {
  claimLocation,
  listLocations,
  makeCurrent,
  type PartKey,
  releaseLocation,
  type SessionRow,
  type StoredPart,
  updateSession,
} from './upload-store.ts';

/** The upload of a part was closed while the part was being received. */
class UploadClosed extends Error {
  override readonly name = 'UploadClosed';
}

interface Writer {
  bytes: PassThrough;
  ended: Promise<void>;
}

/** The parts that are being received. An upload is closed only after all writes into its blob have ended. */
export class PartWriters {
  readonly #writers = new Map<string, Set<Writer>>();

  /**
   * Runs `write` on a stream of the same bytes, which fails with UploadClosed when the upload is closed. The content
   * itself stays readable, because a refusal needs to read the rest of it.
   */
  async run<T>(sessionId: string, content: Readable, write: (bytes: Readable) => Promise<T>): Promise<T> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const writer = { bytes: tapStream(content), ended };
    const writers = this.#writers.get(sessionId) ?? new Set();
    this.#writers.set(sessionId, writers.add(writer));
    try {
      return await write(writer.bytes);
    } finally {
      content.unpipe(writer.bytes);
      writer.bytes.destroy();
      writers.delete(writer);
      if (writers.size === 0 && this.#writers.get(sessionId) === writers) this.#writers.delete(sessionId);
      end();
    }
  }

  /** Aborts the running writes; resolves when all of them have ended. */
  async stop(sessionId: string): Promise<void> {
    const writers = [...(this.#writers.get(sessionId) ?? [])];
    for (const { bytes } of writers) bytes.destroy(new UploadClosed('The upload is closed'));
    await Promise.all(writers.map(({ ended }) => ended));
  }
}

function tapStream(content: Readable): PassThrough {
  const bytes = new PassThrough();
  content.once('error', (error) => bytes.destroy(error));
  // A reader gets an error by reading. Without a listener, an error before the first read would be unhandled.
  bytes.on('error', () => undefined);
  return content.pipe(bytes);
}

/** The properties of a part that the request announces. */
interface AnnouncedPart {
  sessionId: string;
  /** As written in the path. */
  number: string;
  /** Bytes. */
  size: number;
}

/** A part whose bytes are durable but not counted yet. */
export interface ReceivedPart extends Received {
  key: PartKey;
  stored: StoredPart;
}

/** A part that has claimed its byte range of the blob, or a blob of its own. */
interface Claim {
  session: SessionRow;
  key: PartKey;
  position: PartPosition;
}

/**
 * Receives parts. The first write of a part goes into its byte range of the upload's blob. While that is claimed, a
 * repeated part gets a blob of its own, so that the current bytes stay intact until the new ones count. Completing the
 * upload copies it into the byte range.
 */
export class PartReceiver {
  readonly #database: Database;
  readonly #blobs: BlobStore;
  readonly #writers: PartWriters;
  readonly #allocator: UploadBlobAllocator;

  constructor(database: Database, blobs: BlobStore, allocator: UploadBlobAllocator, writers: PartWriters) {
    this.#database = database;
    this.#blobs = blobs;
    this.#allocator = allocator;
    this.#writers = writers;
  }

  /** Throws ApiError for a part that the upload does not accept, and errors of reading the content. */
  receive(
    owner: DriveOwner,
    part: AnnouncedPart,
    headers: IncomingHttpHeaders,
    content: Readable,
  ): Promise<ReceivedPart> {
    return this.#writers.run(part.sessionId, content, async (bytes) => {
      const claim = await this.#database.write((tx) => claimPart(tx, owner, part));
      try {
        const stored = await this.#store(claim, withDigest(bytes, headers));
        return { key: claim.key, stored, discard: () => this.#giveUp(claim.key) };
      } catch (error) {
        // If the store did not answer, the write may still be running, so the byte range stays claimed.
        if (!(error instanceof BlobsUnavailable) || claim.key.asideKey !== '') await this.#giveUp(claim.key);
        throw await this.#refusalOf(error, owner, claim.session);
      }
    });
  }

  async #store({ session, key, position }: Claim, content: AsyncIterable<Uint8Array>): Promise<StoredPart> {
    const checksum = new Checksum();
    const bytes = freeingChunks(checksum.of(content));
    if (key.asideKey !== '') {
      await this.#blobs.put(key.asideKey, bytes);
      return { tag: '', checksum: checksum.value };
    }
    const blob = { key: session.blob_key, handle: await this.#allocator.handleOf(session) };
    const tag = await this.#blobs.putPart(blob, position, bytes);
    return { tag, checksum: checksum.value };
  }

  /**
   * An object that cannot be removed now is removed with the upload. Errors are ignored, because the caller reports the
   * first failure.
   */
  async #giveUp(key: PartKey): Promise<void> {
    try {
      if (key.asideKey !== '') await this.#blobs.remove(key.asideKey);
      await this.#database.write((tx) => releaseLocation(tx, key));
    } catch {
      // The client is notified of the first failure and sends the part again.
    }
  }

  /** If the upload was closed or lost by the store, the refusal for that reason; else the error itself. */
  async #refusalOf(error: unknown, owner: DriveOwner, { id }: SessionRow): Promise<unknown> {
    if (!(error instanceof UploadClosed || error instanceof BlobMissing)) return error;
    const session = await this.#database.write(async (tx) => {
      const found = await lockedSession(tx, owner, id);
      if (found.state !== 'open') return found;
      await endSession(tx, found, 'expired');
      return { ...found, state: 'expired' as const };
    });
    return closedRefusal(session);
  }
}

async function claimPart(tx: WriteTransaction, owner: DriveOwner, part: AnnouncedPart): Promise<Claim> {
  const session = await lockedSession(tx, owner, part.sessionId);
  const number = partNumber(part.number, session.part_count);
  const position = partPosition(session, number);
  if (part.size !== position.size) throw wrongSize(position.size, part.size);
  if (session.state !== 'open' || !isLive(session, await tx.now())) throw closedRefusal(session);
  const isTaken = (await listLocations(tx, session, number)).some(({ asideKey }) => asideKey === '');
  const key = { session, number, asideKey: isTaken ? newId('blob') : '' };
  await claimLocation(tx, key);
  return { session, key, position };
}

function wrongSize(expected: number, actual: number): ApiError {
  const message = `This part has ${expected} bytes, not ${actual}.`;
  return new ApiError('invalid_part_size', message, { expected, actual });
}

/** Makes a received part the current one. Throws ApiError if the upload accepts no more parts. */
export async function acceptPart(
  tx: WriteTransaction,
  owner: DriveOwner,
  { key, stored }: ReceivedPart,
): Promise<{ answer: { part_number: number; size: number; received_bytes: number }; replaced: PartKey[] }> {
  const session = await lockedSession(tx, owner, key.session.id);
  if (session.state !== 'open' || !isLive(session, await tx.now())) throw closedRefusal(session);
  const earlier = await listLocations(tx, session, key.number);
  await makeCurrent(tx, key, stored);
  const { size } = partPosition(session, key.number);
  const isNew = earlier.every((part) => part.is_current === 0);
  const receivedBytes = session.received_bytes + (isNew ? size : 0);
  if (isNew) {
    const received_parts = session.received_parts + 1;
    await updateSession(tx, session, { received_bytes: receivedBytes, received_parts });
  }
  const replaced = earlier.filter(({ asideKey, is_current }) => is_current === 1 && asideKey !== '');
  return {
    answer: { part_number: key.number, size, received_bytes: receivedBytes },
    replaced: replaced.map(({ asideKey }) => ({ ...key, asideKey })),
  };
}

/** Begins the blob of an upload before its first part is written. */
export class UploadBlobAllocator {
  readonly #database: Database;
  readonly #blobs: BlobStore;
  readonly #running = new Map<string, Promise<string>>();

  constructor(database: Database, blobs: BlobStore) {
    this.#database = database;
    this.#blobs = blobs;
  }

  /** The handle of the blob, which is begun if necessary. Concurrent first parts share one begin. */
  async handleOf(session: SessionRow): Promise<string> {
    if (session.blob_handle !== null) return session.blob_handle;
    const running = this.#running.get(session.id) ?? this.#begin(session);
    this.#running.set(session.id, running);
    try {
      return await running;
    } finally {
      this.#running.delete(session.id);
    }
  }

  async #begin(session: SessionRow): Promise<string> {
    const key = session.blob_key;
    const begun = await this.#blobs.begin(key);
    const owner = { workspaceId: session.workspace_id, userId: session.user_id };
    const handle = await this.#database.write(async (tx) => {
      const { blob_handle: earlier } = await lockedSession(tx, owner, session.id);
      if (earlier === null) await updateSession(tx, session, { blob_handle: begun });
      return earlier ?? begun;
    });
    if (handle !== begun) await this.#blobs.abort({ key, handle: begun });
    return handle;
  }
}
