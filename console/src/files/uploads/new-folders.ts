import { api } from '../../app/api.ts';
import { isUncertain } from '../../app/outbox-entry.ts';
import { session } from '../../app/session.ts';
import type { Dropped } from './dropped.ts';
import { randomKey, withLock } from './once.ts';
import type { NewFolder, UploadStore } from './upload-store.ts';

/** Clocks differ: a folder that was made this long before the attempt may be the one. */
const CLOCKS_DIFFER_MS = 300_000;

export type Target = { folderId: string } | { newFolder: string };

/** The folders that paths need, each once, and where each path ends. */
export function planFolders(
  dropped: readonly Dropped[],
  folderId: string,
  userId: string,
): { folders: NewFolder[]; targetOf(path: readonly string[]): Target } {
  const folders = new Map<string, NewFolder>();
  const targetOf = (path: readonly string[]): Target => {
    const name = path.at(-1);
    if (name === undefined) return { folderId };
    // No name of a folder contains a slash.
    const key = path.join('/');
    const known = folders.get(key);
    if (known) return { newFolder: known.id };
    const parent = targetOf(path.slice(0, -1));
    const folder = { id: randomKey(), userId, name, parent, idempotencyKey: randomKey() };
    folders.set(key, folder);
    return { newFolder: folder.id };
  };
  for (const { path } of dropped) targetOf(path);
  return { folders: [...folders.values()], targetOf };
}

/** Makes folders once, whichever tab asks for them and however often. */
export class NewFolders {
  readonly #store: UploadStore;
  readonly #sessionId: () => Promise<string>;

  constructor(store: UploadStore, sessionId: () => Promise<string>) {
    this.#store = store;
    this.#sessionId = sessionId;
  }

  /** The folder of the server that a target means; it is made where it is not there yet. */
  async idOf(target: Target): Promise<string> {
    if ('folderId' in target) return target.folderId;
    return withLock(`atrium-new-folder-${target.newFolder}`, async () => {
      const folder = await this.#store.folder(target.newFolder);
      if (!folder) throw new Error('The folder of this upload is not known any more. Add the file again.');
      return folder.folderId ?? this.#make(folder);
    });
  }

  async #make(folder: NewFolder): Promise<string> {
    const parentId = await this.idOf(folder.parent);
    const sessionId = await this.#sessionId();
    const { attempt } = folder;
    const isOpen =
      attempt &&
      isUncertain(
        { attemptedAt: attempt.at, sessionId: attempt.sessionId },
        sessionId,
        session.idempotencyTtlMs,
      );
    const made = isOpen ? await this.#find(folder, parentId, attempt.at) : undefined;
    const id = made ?? (await this.#create(folder, parentId, sessionId));
    await this.#store.putFolder({ ...folder, folderId: id });
    return id;
  }

  async #create(folder: NewFolder, parentId: string, sessionId: string): Promise<string> {
    await this.#store.putFolder({ ...folder, attempt: folder.attempt ?? { at: Date.now(), sessionId } });
    const body = { name: folder.name, ...(parentId !== '' && { parent_id: parentId }) };
    const { id } = await api.files.createFileFolder(body, { idempotencyKey: folder.idempotencyKey });
    return id;
  }

  /** The folder that an earlier session has made, whose answer was lost. */
  async #find({ name }: NewFolder, parentId: string, attemptedAt: number): Promise<string | undefined> {
    const folders = await api.files.listFileFolders();
    const since = attemptedAt - CLOCKS_DIFFER_MS;
    return folders.find(
      (one) => one.name === name && one.parent_id === parentId && Date.parse(one.created_at) >= since,
    )?.id;
  }
}
