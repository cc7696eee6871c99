import type { Readable } from 'node:stream';
import { BlobMissing, type BlobStore, type MultipartUpload } from '../../../blobs/blob-store.ts';
import { checksumOfParts, saveChecksum } from '../../../blobs/checksum.ts';
import type { JsonText } from '../../../contract/answers.ts';
import { ApiError } from '../../../contract/errors.ts';
import type { Received } from '../../../contract/operation.ts';
import { EMPTY_TYPE } from '../../../formats/content-type/content-type.ts';
import type { Database, WriteTransaction } from '../../../storage/database.ts';
import { createFile } from '../create-node.ts';
import { requireTarget } from '../folders.ts';
import type { DriveOwner } from '../owner.ts';
import type { Rights } from '../rights.ts';
import { storedType } from './received-content.ts';
import type { PartWriters, UploadBlobAllocator } from './upload-parts.ts';
import { partPosition } from './upload-schema.ts';
import { closedRefusal, endSession, isLive, lockedSession, missingParts } from './upload-session.ts';
import { listParts, type PartRow, type SessionRow, updateSession } from './upload-store.ts';

/** An upload whose blob is complete, before the transaction that creates its file. */
export interface AssembledUpload extends Received {
  session: SessionRow;
  mimeType: string;
  /** CRC-32 of all bytes. */
  checksum: number;
}

/** What assembling an upload uses. */
interface AssemblyDependencies {
  database: Database;
  blobs: BlobStore;
  rights: Rights;
  allocator: UploadBlobAllocator;
  writers: PartWriters;
}

/** Assembles the blob of an upload before the transaction that creates its file. It can be repeated. */
export class UploadAssembly {
  readonly #database: Database;
  readonly #blobs: BlobStore;
  readonly #rights: Rights;
  readonly #allocator: UploadBlobAllocator;
  readonly #writers: PartWriters;
  readonly #running = new Map<string, Promise<Omit<AssembledUpload, 'discard'>>>();

  constructor({ database, blobs, rights, allocator, writers }: AssemblyDependencies) {
    this.#database = database;
    this.#blobs = blobs;
    this.#rights = rights;
    this.#allocator = allocator;
    this.#writers = writers;
  }

  /** Concurrent requests to complete the same upload share the work. Throws ApiError. */
  async assemble(owner: DriveOwner, sessionId: string): Promise<Omit<AssembledUpload, 'discard'>> {
    const key = `${owner.userId} ${sessionId}`;
    const running = this.#running.get(key) ?? this.#assemble(owner, sessionId);
    this.#running.set(key, running);
    try {
      return await running;
    } finally {
      this.#running.delete(key);
    }
  }

  async #assemble(owner: DriveOwner, sessionId: string) {
    const { session, parts } = await this.#database.write((tx) =>
      closeSession(tx, this.#rights, owner, sessionId),
    );
    if (session.total_size === 0) return { session, mimeType: EMPTY_TYPE, checksum: 0 };
    try {
      await this.#writers.stop(sessionId);
      await this.#assembleParts(session, parts);
      return { session, mimeType: await this.#typeOf(session), checksum: checksumOf(session, parts) };
    } catch (error) {
      if (!(error instanceof BlobMissing)) throw error;
      throw await this.#database.write((tx) => expireLost(tx, owner, sessionId));
    }
  }

  async #assembleParts(session: SessionRow, parts: readonly PartRow[]): Promise<void> {
    // If a process crashed after it claimed the first part and before it began the blob, all parts have blobs of their
    // own.
    const blob = { key: session.blob_key, handle: await this.#allocator.handleOf(session) };
    const tags: string[] = [];
    for (const part of parts)
      tags.push(part.asideKey === '' ? (part.tag ?? '') : await this.#move(blob, session, part));
    await this.#blobs.complete(blob, tags);
  }

  /** Copies a part with a blob of its own into the blob of the upload. Returns its tag there. */
  async #move(blob: MultipartUpload, session: SessionRow, { number, asideKey }: PartRow): Promise<string> {
    let aside: Readable | undefined;
    try {
      aside = await this.#blobs.get(asideKey);
      return await this.#blobs.putPart(blob, partPosition(session, number), aside);
    } catch (error) {
      // An earlier attempt that completed the blob has removed the parts; completing it again detects that.
      if (error instanceof BlobMissing) return '';
      throw error;
    } finally {
      aside?.destroy();
    }
  }

  #typeOf({ blob_key, total_size, filename }: SessionRow): Promise<string> {
    return storedType(this.#blobs, blob_key, total_size, filename);
  }
}

function checksumOf(session: SessionRow, parts: readonly PartRow[]): number {
  return checksumOfParts(
    parts.map(({ number, checksum }) => ({
      size: partPosition(session, number).size,
      checksum: checksum ?? 0,
    })),
  );
}

/** From now on the upload accepts no parts. Returns the current parts, in order. Throws ApiError. */
async function closeSession(
  tx: WriteTransaction,
  rights: Rights,
  owner: DriveOwner,
  sessionId: string,
): Promise<{ session: SessionRow; parts: PartRow[] }> {
  const session = await lockedSession(tx, owner, sessionId);
  if (!isLive(session, await tx.now())) throw closedRefusal(session);
  const parts = await listParts(tx, session);
  const missing = missingParts(session, parts);
  if (missing.length > 0) {
    throw new ApiError('parts_missing', 'Parts have not arrived yet; send them and complete again.', {
      missing_parts: missing,
    });
  }
  await requireTarget(tx, rights, owner, session.folder_id);
  await updateSession(tx, session, { state: 'completing' });
  return { session, parts: parts.filter(({ is_current }) => is_current === 1) };
}

/** Expires an upload of which the store has neither the parts nor the blob. */
async function expireLost(tx: WriteTransaction, owner: DriveOwner, sessionId: string): Promise<ApiError> {
  const session = await lockedSession(tx, owner, sessionId);
  if (session.state !== 'completing') return closedRefusal(session);
  await endSession(tx, session, 'expired');
  return closedRefusal({ ...session, state: 'expired' });
}

/** Creates the file. Returns its record. Throws ApiError if the upload was closed in between. */
export async function finishUpload(
  tx: WriteTransaction,
  rights: Rights,
  owner: DriveOwner,
  { session: { id }, mimeType, checksum }: AssembledUpload,
): Promise<JsonText> {
  const session = await lockedSession(tx, owner, id);
  if (session.state !== 'completing') throw closedRefusal(session);
  const blobKey = session.total_size > 0 ? session.blob_key : null;
  const record = await createFile(tx, rights, owner, {
    id: session.file_id,
    filename: session.filename,
    mimeType,
    size: session.total_size,
    blobKey,
    folderId: session.folder_id,
    takeOver: async (within) => {
      if (blobKey !== null) await saveChecksum(within, { workspaceId: owner.workspaceId, blobKey }, checksum);
    },
  });
  await endSession(tx, session, 'finished');
  return record;
}
