import type { BlobStore } from '../../../blobs/blob-store.ts';
import type { Database } from '../../../storage/database.ts';
import { lockedSession } from './upload-session.ts';
import { type SessionRow, updateSession } from './upload-store.ts';

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
