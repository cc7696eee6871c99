import type { BlobStore } from '../../../blobs/blob-store.ts';
import type { Database, WriteTransaction } from '../../../storage/database.ts';
import type { PartWriters } from './part-writers.ts';
import { endSession, uploadLock } from './upload-session.ts';
import {
  findSession,
  listDueSessions,
  listParts,
  type PartKey,
  releasePlace,
  removeParts,
  removeSession,
  type SessionKey,
  type SessionRow,
  updateSession,
} from './upload-store.ts';

/** For so long after its end the status of an upload is told. */
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1000;
const SWEPT_AT_ONCE = 100;

/** Gives back the space of what uploads leave: replaced parts, aborted and expired uploads. */
export class UploadSpace {
  readonly #database: Database;
  readonly #blobs: BlobStore;
  readonly #writers: PartWriters;

  constructor(database: Database, blobs: BlobStore, writers: PartWriters) {
    this.#database = database;
    this.#blobs = blobs;
    this.#writers = writers;
  }

  /** Gives back what an upload that has ended holds beside its file. Rejects when a store fails; to be done again then. */
  async release(key: SessionKey): Promise<void> {
    const session = await this.#quietSession(key);
    if (!session) return;
    if (session.state !== 'finished') await this.#removeBlob(session);
    const parts = await this.#database.read((tx) => listParts(tx, session));
    for (const { place } of parts) if (place !== '') await this.#blobs.remove(place);
    await this.#database.write(async (tx) => {
      await removeParts(tx, session);
      await updateSession(tx, session, { holds_space: 0, sweep_at: (await tx.now()) + REMEMBERED_MS });
    });
  }

  /** Removes parts that others have replaced. */
  async removeReplaced(keys: readonly PartKey[]): Promise<void> {
    for (const key of keys) {
      await this.#blobs.remove(key.place);
      await this.#database.write((tx) => releasePlace(tx, key));
    }
  }

  /** Ends what has expired, gives back its space, and forgets what ended long ago. */
  async sweep(): Promise<void> {
    const failures: unknown[] = [];
    for (;;) {
      const due = await this.#database.read(async (tx) => listDueSessions(tx, await tx.now(), SWEPT_AT_ONCE));
      for (const session of due) await this.#sweep(session).catch((error) => failures.push(error));
      if (failures.length > 0) throw new AggregateError(failures, 'Uploads could not be swept');
      if (due.length < SWEPT_AT_ONCE) return;
    }
  }

  /** An upload that has ended, once nothing is on its way for it any more: what was has left its traces in the row. */
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

  /** Parts first: what is completed at this very moment is then found under its own name. */
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
