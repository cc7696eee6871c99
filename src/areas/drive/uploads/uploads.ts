import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import { type JsonText, type Page, type PageRequest, pageOf } from '../../../contract/answers.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { newId } from '../../../platform/ids.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { requireTarget } from '../folders.ts';
import type { DriveOwner } from '../owner.ts';
import type { Rights } from '../rights.ts';
import {
  createUploadedFile,
  type ReceivedFile,
  type SingleUpload,
  SingleUploads,
  type UploadDependencies,
} from './single-upload.ts';
import { type AssembledUpload, finishUpload, UploadAssembly } from './upload-assembly.ts';
import {
  acceptPart,
  PartReceiver,
  PartWriters,
  type ReceivedPart,
  UploadBlobAllocator,
} from './upload-parts.ts';
import { checkFileSize, checkRoom, NewUpload, partLayout, type UploadLimits } from './upload-schema.ts';
import {
  closedRefusal,
  endSession,
  isLive,
  type Lifetime,
  lifetime,
  lockedSession,
  openUploadRecord,
  ownSession,
  sessionRecord,
  statusRecord,
  uploadLock,
} from './upload-session.ts';
import {
  findSession,
  insertSession,
  listDueSessions,
  listOpenSessions,
  listParts,
  type PartKey,
  releaseLocation,
  removeParts,
  removeSession,
  type SessionKey,
  type SessionRow,
  updateSession,
} from './upload-store.ts';

/** Sorts behind every id: ids are ASCII. */
const AFTER_ALL_IDS = '\u007f';

/** The rules of uploads. Bytes are received before a transaction opens, and count after it has committed. */
export class Uploads {
  readonly limits: UploadLimits;
  readonly #blobs: BlobStore;
  readonly #rights: Rights;
  readonly #parts: PartReceiver;
  readonly #assembly: UploadAssembly;
  readonly #space: UploadSpace;
  readonly #single: SingleUploads;
  readonly #pendingReleases = new Set<Promise<void>>();

  constructor({ database, blobs, staging, rights }: UploadDependencies, limits: UploadLimits) {
    const writers = new PartWriters();
    const allocator = new UploadBlobAllocator(database, blobs);
    this.limits = limits;
    this.#blobs = blobs;
    this.#rights = rights;
    this.#parts = new PartReceiver(database, blobs, allocator, writers);
    this.#assembly = new UploadAssembly({ database, blobs, rights, allocator, writers });
    this.#space = new UploadSpace(database, blobs, writers);
    this.#single = new SingleUploads({ database, blobs, staging, rights }, limits);
  }

  /** Checks that a file fits. Throws ApiError file_too_large or quota_exceeded. */
  async checkFits(upload: NewUpload): Promise<void> {
    requireValues(NewUpload, upload);
    const { size } = upload;
    checkFileSize(size, this.limits);
    checkRoom(size, await this.#blobs.free());
  }

  /** Opens an upload. Throws ApiError not_found or folder_trashed. */
  async start(tx: WriteTransaction, owner: DriveOwner, upload: NewUpload) {
    requireValues(NewUpload, upload);
    await requireTarget(tx, this.#rights, owner, upload.folder_id ?? '');
    const session = newSession(owner, upload, await lifetime(tx, this.limits.ttlMs));
    await insertSession(tx, session);
    return sessionRecord(session);
  }

  /** The uploads of a user that take parts, newest first. */
  async listOpen(tx: ReadTransaction, owner: DriveOwner, { after, limit }: PageRequest): Promise<Page> {
    const before = String(after?.[0] ?? AFTER_ALL_IDS);
    const rows = await listOpenSessions(tx, owner, { now: await tx.now(), before, limit });
    return pageOf(rows, openUploadRecord, ({ id }) => [id]);
  }

  /** The progress of an upload. Throws ApiError not_found. */
  async getStatus(tx: ReadTransaction, owner: DriveOwner, sessionId: string) {
    const session = await ownSession(tx, owner, sessionId);
    return statusRecord(session, await listParts(tx, session), await tx.now());
  }

  /** Receives a part; its bytes are then durable. Throws ApiError. */
  receivePart(
    owner: DriveOwner,
    { sessionId, number }: { sessionId: string; number: string },
    headers: IncomingHttpHeaders,
    content: Readable,
  ): Promise<ReceivedPart> {
    const part = { sessionId, number, size: Number(headers['content-length']) };
    return this.#parts.receive(owner, part, headers, content);
  }

  /** Makes a received part the current one. Throws ApiError. */
  async acceptPart(tx: WriteTransaction, owner: DriveOwner, part: ReceivedPart) {
    const { answer, replaced } = await acceptPart(tx, owner, part);
    if (replaced.length > 0) tx.afterCommit(() => this.#inBackground(this.#space.removeReplaced(replaced)));
    return answer;
  }

  /** Aborts an upload; does nothing if it was aborted before. Throws ApiError upload_finished. */
  async abort(tx: WriteTransaction, owner: DriveOwner, sessionId: string): Promise<void> {
    const session = await lockedSession(tx, owner, sessionId);
    if (session.state === 'finished') throw closedRefusal(session);
    if (!isLive(session, await tx.now())) return;
    await endSession(tx, session, 'aborted');
    tx.afterCommit(() => this.#inBackground(this.#space.release(session)));
  }

  /** Assembles the parts. Throws ApiError. */
  async assemble(owner: DriveOwner, sessionId: string): Promise<AssembledUpload> {
    const assembled = await this.#assembly.assemble(owner, sessionId);
    return { ...assembled, discard: () => this.#release(assembled.session) };
  }

  /** Creates the file of an assembled upload; returns its record. Throws ApiError. */
  async complete(tx: WriteTransaction, owner: DriveOwner, upload: AssembledUpload): Promise<JsonText> {
    const record = await finishUpload(tx, this.#rights, owner, upload);
    tx.afterCommit(() => this.#inBackground(this.#space.release(upload.session)));
    return record;
  }

  /** Receives a file that is uploaded in one request. Throws ApiError. */
  receiveFile(owner: DriveOwner, upload: SingleUpload, content: Readable): Promise<ReceivedFile> {
    return this.#single.receive(owner, upload, content);
  }

  /** Creates the file of a single request; returns its record. Throws ApiError. */
  createUploadedFile(tx: WriteTransaction, owner: DriveOwner, file: ReceivedFile): Promise<JsonText> {
    return createUploadedFile(tx, this.#rights, owner, file);
  }

  /** Releases the space of expired uploads. */
  sweep(): Promise<void> {
    return this.#space.sweep();
  }

  /** Resolves when the space of all uploads that have ended so far is released. */
  async settled(): Promise<void> {
    await Promise.all(this.#pendingReleases);
  }

  /** Runs work after the response. The sweep repeats failed work within a minute. */
  #inBackground(work: Promise<void>): void {
    const done = work.catch(() => undefined).finally(() => this.#pendingReleases.delete(done));
    this.#pendingReleases.add(done);
  }

  /** Releases everything that was written for an upload that was closed in between. */
  #release(session: SessionKey): Promise<void> {
    return this.#space.release(session).catch(() => undefined);
  }
}

function newSession(owner: DriveOwner, upload: NewUpload, times: Lifetime): SessionRow {
  const { partSize, partCount } = partLayout(upload.size);
  return {
    ...times,
    workspace_id: owner.workspaceId,
    user_id: owner.userId,
    id: newId('upl'),
    file_id: newId('file'),
    filename: upload.filename,
    folder_id: upload.folder_id ?? '',
    declared_type: upload.mime_type ?? null,
    total_size: upload.size,
    part_size: partSize,
    part_count: partCount,
    received_bytes: 0,
    received_parts: 0,
    blob_key: newId('blob'),
    blob_handle: null,
    state: 'open',
    holds_space: 1,
  };
}

/** How long the status of an upload is available after its end. */
const STATUS_RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
const SWEPT_AT_ONCE = 100;

/** Releases the space that uploads leave: replaced parts, aborted and expired uploads. */
class UploadSpace {
  readonly #database: Database;
  readonly #blobs: BlobStore;
  readonly #writers: PartWriters;

  constructor(database: Database, blobs: BlobStore, writers: PartWriters) {
    this.#database = database;
    this.#blobs = blobs;
    this.#writers = writers;
  }

  /** Releases what an ended upload occupies besides its file. Rejects if a store fails; the sweep then repeats it. */
  async release(key: SessionKey): Promise<void> {
    const session = await this.#quietSession(key);
    if (!session) return;
    if (session.state !== 'finished') await this.#removeBlob(session);
    const parts = await this.#database.read((tx) => listParts(tx, session));
    for (const { asideKey } of parts) if (asideKey !== '') await this.#blobs.remove(asideKey);
    await this.#database.write(async (tx) => {
      await removeParts(tx, session);
      await updateSession(tx, session, { holds_space: 0, sweep_at: (await tx.now()) + STATUS_RETENTION_MS });
    });
  }

  /** Removes parts that have been replaced. */
  async removeReplaced(keys: readonly PartKey[]): Promise<void> {
    for (const key of keys) {
      await this.#blobs.remove(key.asideKey);
      await this.#database.write((tx) => releaseLocation(tx, key));
    }
  }

  /** Expires uploads, releases their space, and deletes the sessions of uploads that ended long ago. */
  async sweep(): Promise<void> {
    const failures: unknown[] = [];
    for (;;) {
      const due = await this.#database.read(async (tx) => listDueSessions(tx, await tx.now(), SWEPT_AT_ONCE));
      for (const session of due) await this.#sweep(session).catch((error) => failures.push(error));
      if (failures.length > 0) throw new AggregateError(failures, 'Uploads could not be swept');
      if (due.length < SWEPT_AT_ONCE) return;
    }
  }

  /** An ended upload after all running writes have stopped. It is read again, because such a write may have changed the row. */
  async #quietSession(key: SessionKey): Promise<SessionRow | undefined> {
    const find = () => this.#database.read((tx) => findSession(tx, key));
    const session = await find();
    if (!session || !hasEnded(session)) return undefined;
    await this.#writers.stop(session.id);
    return find();
  }

  async #sweep(session: SessionRow): Promise<void> {
    if (session.holds_space === 0) return this.#database.write((tx) => removeSession(tx, session));
    await this.#database.write((tx) => expire(tx, session));
    await this.release(session);
  }

  /** Aborts the parts first: if the upload is being completed at this moment, the blob is then found under its key. */
  async #removeBlob({ blob_key: key, blob_handle: handle }: SessionRow): Promise<void> {
    if (handle !== null) await this.#blobs.abort({ key, handle });
    await this.#blobs.remove(key);
  }
}

function hasEnded({ state }: SessionRow): boolean {
  return state === 'finished' || state === 'aborted' || state === 'expired';
}

async function expire(tx: WriteTransaction, key: SessionKey): Promise<void> {
  await tx.lock(uploadLock(key));
  const session = await findSession(tx, key);
  if (session && !hasEnded(session) && session.expires_at <= (await tx.now()))
    await endSession(tx, key, 'expired');
}
