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
import { detaching, withDigest } from './received-content.ts';
import type { UploadBlobAllocator } from './upload-blob-allocator.ts';
import { partNumber, partPosition } from './upload-limits.ts';
import { closedRefusal, endSession, isLive, lockedSession } from './upload-session.ts';
import {
  claimPlace,
  listPlaces,
  makeCurrent,
  type PartKey,
  releasePlace,
  type SessionRow,
  type StoredPart,
  updateSession,
} from './upload-store.ts';

/** The upload that a part is for has been closed while the part was on its way. */
class UploadClosed extends Error {
  override readonly name = 'UploadClosed';
}

interface Writer {
  bytes: PassThrough;
  ended: Promise<void>;
}

/** The parts that are on their way, so that an upload is closed only when nothing writes into its blob any more. */
export class PartWriters {
  readonly #writers = new Map<string, Set<Writer>>();

  /**
   * Does what takes a part in, on a stream of the same bytes; that fails with UploadClosed when the upload is closed.
   * The content itself stays readable, since a refusal needs the rest of it.
   */
  async run<T>(sessionId: string, content: Readable, write: (bytes: Readable) => Promise<T>): Promise<T> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const writer = { bytes: tapped(content), ended };
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

  /** Cuts off what is on its way; resolves when none of it is written any more. */
  async stop(sessionId: string): Promise<void> {
    const writers = [...(this.#writers.get(sessionId) ?? [])];
    for (const { bytes } of writers) bytes.destroy(new UploadClosed('The upload is closed'));
    await Promise.all(writers.map(({ ended }) => ended));
  }
}

function tapped(content: Readable): PassThrough {
  const bytes = new PassThrough();
  content.once('error', (error) => bytes.destroy(error));
  // Whoever reads it hears of an error by reading; who has not begun to is told by its upload.
  bytes.on('error', () => undefined);
  return content.pipe(bytes);
}

/** A part as it is announced. */
interface AnnouncedPart {
  sessionId: string;
  /** As it stands in the path. */
  number: string;
  /** Bytes. */
  size: number;
}

/** A part whose bytes are durable, and do not count yet. */
export interface ReceivedPart extends Received {
  key: PartKey;
  stored: StoredPart;
}

/** A part whose place in the blob, or whose blob of its own, is claimed. */
interface Claim {
  session: SessionRow;
  key: PartKey;
  position: PartPosition;
}

/**
 * Takes parts in. The first to come is written to its place in the blob. One that comes while the place is taken is put
 * aside as a blob of its own, so that what counts stays whole until the new one does; completing moves it into place.
 */
export class PartReceiver {
  readonly #database: Database;
  readonly #blobs: BlobStore;
  readonly #writers: PartWriters;
  readonly #beginnings: UploadBlobAllocator;

  constructor(database: Database, blobs: BlobStore, beginnings: UploadBlobAllocator, writers: PartWriters) {
    this.#database = database;
    this.#blobs = blobs;
    this.#beginnings = beginnings;
    this.#writers = writers;
  }

  /** Throws ApiError for what the upload does not take, and what reading the content throws. */
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
        // Of a write that the store did not answer nobody knows whether it is over: the place stays taken.
        if (!(error instanceof BlobsUnavailable) || claim.key.place !== '') await this.#giveUp(claim.key);
        throw await this.#refusalOf(error, owner, claim.session);
      }
    });
  }

  async #store({ session, key, position }: Claim, content: AsyncIterable<Uint8Array>): Promise<StoredPart> {
    const checksum = new Checksum();
    const bytes = detaching(checksum.of(content));
    if (key.place !== '') {
      await this.#blobs.put(key.place, bytes);
      return { tag: '', checksum: checksum.value };
    }
    const blob = { key: session.blob_key, handle: await this.#beginnings.handleOf(session) };
    const tag = await this.#blobs.putPart(blob, position, bytes);
    return { tag, checksum: checksum.value };
  }

  /** What cannot be removed now goes with the upload; the reason for giving it up matters more than that. */
  async #giveUp(key: PartKey): Promise<void> {
    try {
      if (key.place !== '') await this.#blobs.remove(key.place);
      await this.#database.write((tx) => releasePlace(tx, key));
    } catch {
      // Whoever is told of the first failure sends the part again.
    }
  }

  /** An upload that was closed, or that the store has lost, refuses the part for that reason. */
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
  const isTaken = (await listPlaces(tx, session, number)).some(({ place }) => place === '');
  const key = { session, number, place: isTaken ? newId('blob') : '' };
  await claimPlace(tx, key);
  return { session, key, position };
}

function wrongSize(expected: number, actual: number): ApiError {
  const message = `This part has ${expected} bytes, not ${actual}.`;
  return new ApiError('invalid_part_size', message, { expected, actual });
}

/** Makes a part count that has been received. Throws ApiError where the upload takes no more. */
export async function keepPart(
  tx: WriteTransaction,
  owner: DriveOwner,
  { key, stored }: ReceivedPart,
): Promise<{ answer: { part_number: number; size: number; received_bytes: number }; replaced: PartKey[] }> {
  const session = await lockedSession(tx, owner, key.session.id);
  if (session.state !== 'open' || !isLive(session, await tx.now())) throw closedRefusal(session);
  const earlier = await listPlaces(tx, session, key.number);
  await makeCurrent(tx, key, stored);
  const { size } = partPosition(session, key.number);
  const isNew = earlier.every((part) => part.is_current === 0);
  const receivedBytes = session.received_bytes + (isNew ? size : 0);
  if (isNew) {
    const received_parts = session.received_parts + 1;
    await updateSession(tx, session, { received_bytes: receivedBytes, received_parts });
  }
  const replaced = earlier.filter(({ place, is_current }) => is_current === 1 && place !== '');
  return {
    answer: { part_number: key.number, size, received_bytes: receivedBytes },
    replaced: replaced.map(({ place }) => ({ ...key, place })),
  };
}
