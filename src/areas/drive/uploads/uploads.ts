import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { BlobStore } from '../../../blobs/blob-store.ts';
import type { Staging } from '../../../blobs/staging.ts';
import type { JsonText } from '../../../contract/answers.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { newId } from '../../../platform/ids.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { checkTarget } from '../folders.ts';
import type { DriveOwner } from '../owner.ts';
import { PartWriters } from './part-writers.ts';
import { keepFile, type ReceivedFile, type SingleUpload, SingleUploads } from './single-upload.ts';
import { BlobBeginnings } from './upload-blob.ts';
import { type AssembledUpload, Assembly, finish } from './upload-completing.ts';
import { checkFileSize, checkRoom, sliced, type UploadLimits } from './upload-limits.ts';
import { keepPart, PartReceiver, type ReceivedPart } from './upload-parts.ts';
import { NewUpload } from './upload-schema.ts';
import {
  closedRefusal,
  endSession,
  isLive,
  type Lifetime,
  lifetime,
  lockedSession,
  ownSession,
} from './upload-session.ts';
import { UploadSpace } from './upload-space.ts';
import { sessionRecord, statusRecord } from './upload-status.ts';
import { insertSession, listParts, type SessionKey, type SessionRow } from './upload-store.ts';

/** The rules of uploads: bytes are taken in before a transaction opens, and count once it has said so. */
export class Uploads {
  readonly limits: UploadLimits;
  readonly #blobs: BlobStore;
  readonly #parts: PartReceiver;
  readonly #assembly: Assembly;
  readonly #space: UploadSpace;
  readonly #single: SingleUploads;
  readonly #givingBack = new Set<Promise<void>>();

  constructor(database: Database, blobs: BlobStore, staging: Staging, limits: UploadLimits) {
    const writers = new PartWriters();
    const beginnings = new BlobBeginnings(database, blobs);
    this.limits = limits;
    this.#blobs = blobs;
    this.#parts = new PartReceiver(database, blobs, beginnings, writers);
    this.#assembly = new Assembly(database, blobs, beginnings, writers);
    this.#space = new UploadSpace(database, blobs, writers);
    this.#single = new SingleUploads(database, blobs, staging, limits);
  }

  /** Makes sure that a file fits. Throws ApiError file_too_large or quota_exceeded. */
  async checkFits(upload: NewUpload): Promise<void> {
    requireValues(NewUpload, upload);
    const { size } = upload;
    checkFileSize(size, this.limits);
    checkRoom(size, await this.#blobs.free());
  }

  /** Opens an upload. Throws ApiError not_found or folder_trashed. */
  async start(tx: WriteTransaction, owner: DriveOwner, upload: NewUpload) {
    requireValues(NewUpload, upload);
    await checkTarget(tx, owner, upload.folder_id ?? '');
    const session = newSession(owner, upload, await lifetime(tx, this.limits.ttlMs));
    await insertSession(tx, session);
    return sessionRecord(session);
  }

  /** How far an upload has come. Throws ApiError not_found. */
  async getStatus(tx: ReadTransaction, owner: DriveOwner, sessionId: string) {
    const session = await ownSession(tx, owner, sessionId);
    return statusRecord(session, await listParts(tx, session), await tx.now());
  }

  /** Takes a part in: its bytes are durable then. Throws ApiError. */
  receivePart(
    owner: DriveOwner,
    { sessionId, number }: { sessionId: string; number: string },
    headers: IncomingHttpHeaders,
    content: Readable,
  ): Promise<ReceivedPart> {
    const part = { sessionId, number, size: Number(headers['content-length']) };
    return this.#parts.receive(owner, part, headers, content);
  }

  /** Makes a part count. Throws ApiError. */
  async keepPart(tx: WriteTransaction, owner: DriveOwner, part: ReceivedPart) {
    const { answer, replaced } = await keepPart(tx, owner, part);
    if (replaced.length > 0) tx.afterCommit(() => this.#later(this.#space.removeReplaced(replaced)));
    return answer;
  }

  /** Ends an upload of which no file shall come; one that was given up before stays so. Throws ApiError upload_finished. */
  async abort(tx: WriteTransaction, owner: DriveOwner, sessionId: string): Promise<void> {
    const session = await lockedSession(tx, owner, sessionId);
    if (session.state === 'finished') throw closedRefusal(session);
    if (!isLive(session, await tx.now())) return;
    await endSession(tx, session, 'aborted');
    tx.afterCommit(() => this.#later(this.#space.release(session)));
  }

  /** Puts the parts together. Throws ApiError. */
  async assemble(owner: DriveOwner, sessionId: string): Promise<AssembledUpload> {
    const assembled = await this.#assembly.assemble(owner, sessionId);
    return { ...assembled, discard: () => this.#release(assembled.session) };
  }

  /** Makes a file of what was put together; answers its record. Throws ApiError. */
  async complete(tx: WriteTransaction, owner: DriveOwner, upload: AssembledUpload): Promise<JsonText> {
    const record = await finish(tx, owner, upload);
    tx.afterCommit(() => this.#later(this.#space.release(upload.session)));
    return record;
  }

  /** Takes in a file that comes in one request. Throws ApiError. */
  receiveFile(owner: DriveOwner, upload: SingleUpload, content: Readable): Promise<ReceivedFile> {
    return this.#single.receive(owner, upload, content);
  }

  /** Makes a file of what came in one request; answers its record. Throws ApiError. */
  keepFile(tx: WriteTransaction, owner: DriveOwner, file: ReceivedFile): Promise<JsonText> {
    return keepFile(tx, owner, file);
  }

  /** Housekeeping: gives back the space of what has expired. */
  sweep(): Promise<void> {
    return this.#space.sweep();
  }

  /** Resolves when nothing is given back any more of what has ended so far. */
  async settled(): Promise<void> {
    await Promise.all(this.#givingBack);
  }

  /** Done behind the answer; what fails housekeeping does again within a minute. */
  #later(work: Promise<void>): void {
    const done = work.catch(() => undefined).finally(() => this.#givingBack.delete(done));
    this.#givingBack.add(done);
  }

  /** Whatever was made of an upload that has been closed meanwhile goes with it. */
  #release(session: SessionKey): Promise<void> {
    return this.#space.release(session).catch(() => undefined);
  }
}

function newSession(owner: DriveOwner, upload: NewUpload, times: Lifetime): SessionRow {
  const { partSize, partCount } = sliced(upload.size);
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
