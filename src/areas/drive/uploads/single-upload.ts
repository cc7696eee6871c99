import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import { type StagedBytes, type Staging, takeOver } from '../../../blobs/staging.ts';
import type { JsonText } from '../../../contract/answers.ts';
import type { Received } from '../../../contract/operation.ts';
import { contentTypeOf, HEAD_BYTES } from '../../../formats/content-type/content-type.ts';
import type { Database, WriteTransaction } from '../../../storage/database.ts';
import { createFile } from '../create-node.ts';
import { requireTarget } from '../folders.ts';
import type { DriveOwner } from '../owner.ts';
import type { Rights } from '../rights.ts';
import { freeingChunks, Head, readableBlob, withDigest } from './received-content.ts';
import { checkFileSize, checkRoom, type UploadLimits } from './upload-schema.ts';

/** A file that is uploaded in one request, and its target folder. */
export interface SingleUpload {
  filename: string;
  folderId: string;
  headers: IncomingHttpHeaders;
}

/** A file whose bytes are durable, before the transaction that creates the file. */
export interface ReceivedFile extends Received {
  filename: string;
  folderId: string;
  mimeType: string;
  staged: StagedBytes;
}

/** What uploads use. */
export interface UploadDependencies {
  database: Database;
  blobs: BlobStore;
  staging: Staging;
  rights: Rights;
}

/** Receives files that are uploaded in one request. */
export class SingleUploads {
  readonly #database: Database;
  readonly #blobs: BlobStore;
  readonly #staging: Staging;
  readonly #rights: Rights;
  readonly #limits: UploadLimits;

  constructor({ database, blobs, staging, rights }: UploadDependencies, limits: UploadLimits) {
    this.#database = database;
    this.#blobs = blobs;
    this.#staging = staging;
    this.#rights = rights;
    this.#limits = limits;
  }

  /** Throws ApiError file_too_large, quota_exceeded, digest_mismatch, not_found or folder_trashed. */
  async receive(owner: DriveOwner, upload: SingleUpload, content: Readable): Promise<ReceivedFile> {
    const { filename, folderId, headers } = upload;
    const announced = Number(headers['content-length'] ?? 0);
    checkRoom(announced, await this.#blobs.free());
    // The root needs no check. The transaction that creates the file checks the right to do so again.
    if (folderId !== '') {
      await this.#database.read((tx) => requireTarget(tx, this.#rights, owner, folderId));
    }
    const head = new Head(HEAD_BYTES);
    const bytes = withDigest(limitSize(content, this.#limits), headers);
    const staging = this.#staging.stageBlob(freeingChunks(head.record(bytes)));
    const type = this.#typeOf(filename, head, staging);
    // An error of `staging` takes precedence and is awaited first; this avoids an unhandled rejection.
    type.catch(() => undefined);
    const staged = await staging;
    const discard = () => staged.discard();
    try {
      return { filename, folderId, mimeType: await type, staged, discard };
    } catch (error) {
      await discard();
      throw error;
    }
  }

  /** Determined while the rest of the content arrives and is synced. */
  async #typeOf(filename: string, head: Head, staging: Promise<StagedBytes>): Promise<string> {
    const whole = async () => {
      const { location, size } = await staging;
      return readableBlob(this.#blobs, location.blobKey ?? '', size);
    };
    return contentTypeOf({ filename, head: await head.whole, whole });
  }
}

/** Creates the file. Returns its record. Throws ApiError, and StorageUnavailable if it waited too long. */
export async function createUploadedFile(
  tx: WriteTransaction,
  rights: Rights,
  owner: DriveOwner,
  { filename, folderId, mimeType, staged }: ReceivedFile,
): Promise<JsonText> {
  const { size, location } = staged;
  return createFile(tx, rights, owner, {
    filename,
    folderId,
    mimeType,
    size,
    blobKey: location.blobKey,
    takeOver: (within) => takeOver(within, staged),
  });
}

async function* limitSize(content: Readable, limits: UploadLimits): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    checkFileSize(size, limits);
    yield chunk;
  }
}
