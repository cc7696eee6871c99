import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Received } from '../../api/operation.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { ParsedMessage } from '../../formats/messages/message.ts';
import { parseMessage, parseMessageStream } from '../../formats/messages/parse.ts';
import { newId } from '../../ids.ts';
import { type Database, StorageUnavailable, type WriteTransaction } from '../../storage/database.ts';
import type { RawLocation } from './message-store.ts';
import { claimPending, forgetPending, giveUpPending, insertPending, listPending } from './pending-store.ts';

/**
 * A raw message up to this size is kept in the database: one durable write for message and bytes together.
 * A larger one goes to the blob store as it arrives.
 */
const MAX_IN_DATABASE = 100 * 1024;

/** A blob that no message has taken over in this time came from a process that has ended. */
const ABANDONED_AFTER_MS = 6 * 60 * 60 * 1000;

/** A message that has arrived whole and waits for its transaction. */
export interface StagedMessage extends Received {
  parsed: ParsedMessage;
  location: RawLocation;
  /** Bytes. */
  size: number;
  /** SHA-256 of the raw bytes, base64url. */
  digest: string;
}

/** Takes raw messages in before their transaction opens: bytes first, then what they say. */
export class MessageStaging {
  readonly #database: Database;
  readonly #blobs: BlobStore;

  constructor(database: Database, blobs: BlobStore) {
    this.#database = database;
    this.#blobs = blobs;
  }

  /** Reads a raw message to its end. Rejects with what the source, the database or the blob store reject with. */
  async stage(source: AsyncIterable<Uint8Array>): Promise<StagedMessage> {
    const digest = createHash('sha256');
    const chunks = source[Symbol.asyncIterator]();
    const head = await readUpTo(chunks, MAX_IN_DATABASE);
    digest.update(head.bytes);
    if (head.ended) return stagedSmall(head.bytes, digest.digest('base64url'));
    return this.#stageLarge(hashed(head.bytes, chunks, digest), digest);
  }

  /** The bytes of a stored message. */
  async open({ raw, blobKey }: RawLocation): Promise<Readable | Uint8Array> {
    return raw ?? this.#blobs.get(blobKey);
  }

  /** Removes what was taken in by processes that ended before its transaction. */
  async sweep(): Promise<void> {
    const abandoned = await this.#database.read((tx) => listPending(tx, Date.now() - ABANDONED_AFTER_MS));
    for (const blobKey of abandoned) await this.#remove(blobKey);
  }

  async #stageLarge(content: AsyncIterable<Uint8Array>, digest: Hash): Promise<StagedMessage> {
    const blobKey = newId('blob');
    await this.#database.write((tx) => insertPending(tx, blobKey, Date.now()));
    try {
      const { size } = await this.#blobs.put(blobKey, content);
      const parsed = await parseMessageStream(await this.#blobs.get(blobKey));
      const location = { raw: null, blobKey };
      return {
        parsed,
        location,
        size,
        digest: digest.digest('base64url'),
        discard: () => this.#discard(blobKey),
      };
    } catch (error) {
      await this.#discard(blobKey);
      throw error;
    }
  }

  /** What cannot be removed now the sweep removes; the reason for giving it up matters more than that. */
  #discard(blobKey: string): Promise<void> {
    return this.#remove(blobKey).catch(() => undefined);
  }

  /** Removes a blob unless a message has taken it over: of a commit whose answer was lost nobody here knows. */
  async #remove(blobKey: string): Promise<void> {
    if (!(await this.#database.write((tx) => giveUpPending(tx, blobKey)))) return;
    await this.#blobs.remove(blobKey);
    await this.#database.write((tx) => forgetPending(tx, blobKey));
  }
}

/** Makes what was staged part of the transaction that stores its message. Throws StorageUnavailable when it was given up. */
export async function takeOver(tx: WriteTransaction, { location }: StagedMessage): Promise<void> {
  if (location.blobKey === null || (await claimPending(tx, location.blobKey))) return;
  throw new StorageUnavailable('The message waited for too long and was given up');
}

async function stagedSmall(raw: Buffer, digest: string): Promise<StagedMessage> {
  return {
    parsed: await parseMessage(raw),
    location: { raw, blobKey: null },
    size: raw.length,
    digest,
    discard: async () => undefined,
  };
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

/** What was read already, then the rest, which is added to the digest as it passes. */
async function* hashed(
  head: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
  digest: Hash,
): AsyncGenerator<Uint8Array> {
  try {
    yield head;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      digest.update(next.value);
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}
