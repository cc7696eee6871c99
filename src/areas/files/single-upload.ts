import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { JsonText } from '../../api/answers.ts';
import { ApiError } from '../../api/errors.ts';
import type { Received } from '../../api/operation.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { HEAD_BYTES } from '../../formats/content-type/content-type.ts';
import { newId } from '../../ids.ts';
import { type Database, StorageUnavailable, type WriteTransaction } from '../../storage/database.ts';
import { withDigest } from './content-digest.ts';
import { createFile } from './creating.ts';
import { checkTarget } from './folders.ts';
import type { DriveOwner } from './owner.ts';
import { Head, releasing } from './received-bytes.ts';
import { storedType } from './stored-type.ts';
import { checkFileSize, checkRoom, type UploadLimits } from './upload-limits.ts';
import { lifetime, uploadLock } from './upload-session.ts';
import { findSession, insertSession, removeSession, type SessionKey } from './upload-store.ts';

/** What comes in one request is either kept or given up by then; what a crash has left is swept. */
const ABANDONED_AFTER_MS = 10 * 60 * 1000;

/** A file that comes in one request, and where it is to go. */
export interface SingleUpload {
  filename: string;
  folderId: string;
  headers: IncomingHttpHeaders;
}

/** A file whose bytes are durable and wait for the transaction that makes a file of them. */
export interface ReceivedFile extends Received {
  note: SessionKey;
  filename: string;
  folderId: string;
  mimeType: string;
  size: number;
  blobKey: string | null;
}

/** Before anything is stored of it, an upload without times. */
type Note = ReturnType<typeof newNote>;

/** Takes in files that come in one request. */
export class SingleUploads {
  readonly #database: Database;
  readonly #blobs: BlobStore;
  readonly #limits: UploadLimits;

  constructor(database: Database, blobs: BlobStore, limits: UploadLimits) {
    this.#database = database;
    this.#blobs = blobs;
    this.#limits = limits;
  }

  /** Throws ApiError file_too_large, quota_exceeded, upload_timeout, not_found or folder_trashed. */
  async receive(owner: DriveOwner, upload: SingleUpload, content: Readable): Promise<ReceivedFile> {
    cutOff(content, this.#limits.singleRequestMs);
    const announced = Number(upload.headers['content-length'] ?? 0);
    checkFileSize(announced, this.#limits);
    checkRoom(announced, await this.#blobs.free());
    const note = newNote(owner, upload);
    const noted = this.#database.write(async (tx) => {
      await checkTarget(tx, owner, upload.folderId);
      await insertSession(tx, { ...note, ...(await lifetime(tx, ABANDONED_AFTER_MS)) });
    });
    // Whoever reads the content hears of it, and may not have begun to.
    noted.catch(() => undefined);
    try {
      return await this.#store(note, upload, onceNoted(limited(content, this.#limits), noted));
    } catch (error) {
      await noted.catch(() => undefined);
      await this.#giveUp(note);
      throw error;
    }
  }

  async #store(
    note: Note,
    { filename, folderId, headers }: SingleUpload,
    content: AsyncIterable<Uint8Array>,
  ) {
    const key = note.blob_key;
    const head = new Head(HEAD_BYTES);
    const { size } = await this.#blobs.put(key, releasing(head.keepOf(withDigest(content, headers))));
    const mimeType = await storedType(this.#blobs, key, filename, head.bytes());
    if (size === 0) await this.#blobs.remove(key);
    return {
      note,
      filename,
      folderId,
      size,
      mimeType,
      blobKey: size > 0 ? key : null,
      discard: () => this.#giveUp(note),
    };
  }

  /** What cannot be removed now housekeeping removes. */
  async #giveUp(note: Note): Promise<void> {
    try {
      await this.#blobs.remove(note.blob_key);
      await this.#database.write((tx) => removeSession(tx, note));
    } catch {
      // The reason for giving it up matters more.
    }
  }
}

/** Makes the file. Answers its record. Throws ApiError, and StorageUnavailable when it waited for too long. */
export async function keepFile(
  tx: WriteTransaction,
  owner: DriveOwner,
  received: ReceivedFile,
): Promise<JsonText> {
  const { note, filename, folderId, mimeType, size, blobKey } = received;
  await tx.lock(uploadLock(note));
  if ((await findSession(tx, note))?.state !== 'receiving') {
    throw new StorageUnavailable('The file waited for too long and was given up');
  }
  const record = await createFile(tx, owner, { filename, folderId, mimeType, size, blobKey });
  await removeSession(tx, note);
  return record;
}

/** The note of a blob, by which housekeeping finds it when no file takes it over. */
function newNote({ workspaceId, userId }: DriveOwner, { filename, folderId }: SingleUpload) {
  return {
    workspace_id: workspaceId,
    user_id: userId,
    id: newId('upl'),
    file_id: '',
    filename,
    folder_id: folderId,
    declared_type: null,
    total_size: 0,
    part_size: 0,
    part_count: 0,
    received_bytes: 0,
    received_parts: 0,
    blob_key: newId('blob'),
    blob_handle: null,
    state: 'receiving',
    holds_space: 1,
  } as const;
}

/**
 * The same content. It ends only when its note is kept, so that no blob is whole before. Where that is refused, the rest
 * is passed over, for a repeat is known by all of its bytes, and it fails at its end.
 */
async function* onceNoted(
  content: AsyncIterable<Uint8Array>,
  noted: Promise<void>,
): AsyncGenerator<Uint8Array> {
  let isRefused = false;
  noted.catch(() => {
    isRefused = true;
  });
  for await (const chunk of content) if (!isRefused) yield chunk;
  await noted;
}

/** Fails the content when it has not come whole in time. */
function cutOff(content: Readable, ms: number): void {
  const deadline = setTimeout(() => {
    const message = `A single request has ${ms / 1000} seconds; upload the file in parts (POST /v1/files/uploads).`;
    content.destroy(new ApiError('upload_timeout', message));
  }, ms);
  content.once('end', () => clearTimeout(deadline));
  content.once('close', () => clearTimeout(deadline));
}

async function* limited(content: Readable, limits: UploadLimits): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    checkFileSize(size, limits);
    yield chunk;
  }
}
