import type { DBSchema, IDBPDatabase } from 'idb';
import { openLasting } from '../../app/lasting.ts';

/** A file on its way to the server, as this browser remembers it. */
export interface Upload {
  id: string;
  userId: string;
  /** The order in which files were added. */
  number: number;
  name: string;
  size: number;
  /** When the file was last changed on this machine: the same name, size and time count as the same file. */
  lastModified: number;
  /** Where it lands: a folder of the server ("" is the root), or one that is yet to be made. */
  target: { folderId: string } | { newFolder: string };
  /** The Idempotency-Key of the start: tabs that start it at once open one session. */
  startKey: string;
  /** The upload session of the server; undefined before it is opened. */
  session?: string;
  state: 'waiting' | 'paused' | 'failed' | 'done';
  /** Why it has failed, in the server's words. */
  problem?: string;
  /** The file on the server, when it is done. */
  fileId?: string;
}

/** A folder that is made once for all that is to land in it. */
export interface NewFolder {
  id: string;
  userId: string;
  name: string;
  parent: { folderId: string } | { newFolder: string };
  idempotencyKey: string;
  /** When and by which session it was first asked for; an Idempotency-Key counts within one session. */
  attempt?: { at: number; sessionId: string };
  /** The folder on the server, when it is made. */
  folderId?: string;
}

interface Schema extends DBSchema {
  uploads: { key: string; value: Upload; indexes: { user: string } };
  folders: { key: string; value: NewFolder; indexes: { user: string } };
  /** The files themselves, so that an upload goes on after a reload without asking for the file again. */
  contents: { key: string; value: File };
}

/**
 * Keeps uploads over reloads and crashes of the browser. Where the browser gives no database, or no room in it, the rest is kept
 * in memory: `isLasting` says so.
 */
export class UploadStore {
  readonly #database: Promise<IDBPDatabase<Schema> | undefined>;
  readonly #uploads = new Map<string, Upload>();
  readonly #folders = new Map<string, NewFolder>();
  #isLasting = true;

  constructor() {
    this.#database = openLasting<Schema>('atrium-uploads', 1, (database) => {
      database.createObjectStore('uploads', { keyPath: 'id' }).createIndex('user', 'userId');
      database.createObjectStore('folders', { keyPath: 'id' }).createIndex('user', 'userId');
      database.createObjectStore('contents');
    });
  }

  /** Whether all of it outlives the page. */
  get isLasting(): boolean {
    return this.#isLasting;
  }

  async add(uploads: readonly Upload[], folders: readonly NewFolder[]): Promise<void> {
    try {
      const transaction = (await this.#opened()).transaction(['uploads', 'folders'], 'readwrite');
      for (const folder of folders) void transaction.objectStore('folders').put(folder);
      for (const upload of uploads) void transaction.objectStore('uploads').put(upload);
      await transaction.done;
    } catch {
      this.#isLasting = false;
      for (const folder of folders) this.#folders.set(folder.id, folder);
      for (const upload of uploads) this.#uploads.set(upload.id, upload);
    }
  }

  /** The uploads of a user in the order in which they were added. */
  async all(userId: string): Promise<Upload[]> {
    const kept = [...this.#uploads.values()].filter((upload) => upload.userId === userId);
    const stored = await this.#read((database) => database.getAllFromIndex('uploads', 'user', userId));
    return [...(stored ?? []), ...kept].sort((a, b) => a.number - b.number);
  }

  async get(id: string): Promise<Upload | undefined> {
    return this.#uploads.get(id) ?? this.#read((database) => database.get('uploads', id));
  }

  /** Changes what is stored now; undefined where it has been removed. */
  async change(id: string, change: Partial<Upload>): Promise<Upload | undefined> {
    const kept = this.#uploads.get(id);
    if (kept) {
      const changed = { ...kept, ...change };
      this.#uploads.set(id, changed);
      return changed;
    }
    const transaction = (await this.#opened()).transaction('uploads', 'readwrite');
    const upload = await transaction.store.get(id);
    const changed = upload && { ...upload, ...change };
    if (changed) await transaction.store.put(changed);
    await transaction.done;
    return changed;
  }

  async remove(ids: readonly string[]): Promise<void> {
    const stored = ids.filter((id) => !this.#uploads.delete(id));
    if (stored.length === 0) return;
    const transaction = (await this.#opened()).transaction(['uploads', 'contents'], 'readwrite');
    for (const id of stored) {
      void transaction.objectStore('uploads').delete(id);
      void transaction.objectStore('contents').delete(id);
    }
    await transaction.done;
  }

  async folders(userId: string): Promise<NewFolder[]> {
    const kept = [...this.#folders.values()].filter((folder) => folder.userId === userId);
    const stored = await this.#read((database) => database.getAllFromIndex('folders', 'user', userId));
    return [...(stored ?? []), ...kept];
  }

  async folder(id: string): Promise<NewFolder | undefined> {
    return this.#folders.get(id) ?? this.#read((database) => database.get('folders', id));
  }

  async putFolder(folder: NewFolder): Promise<void> {
    if (this.#folders.has(folder.id)) this.#folders.set(folder.id, folder);
    else await (await this.#opened()).put('folders', folder);
  }

  async removeFolders(ids: readonly string[]): Promise<void> {
    const stored = ids.filter((id) => !this.#folders.delete(id));
    if (stored.length === 0) return;
    const transaction = (await this.#opened()).transaction('folders', 'readwrite');
    for (const id of stored) void transaction.store.delete(id);
    await transaction.done;
  }

  /** Keeps a file. Returns false where the browser has no room for it. */
  async keepContent(id: string, file: File): Promise<boolean> {
    if (this.#uploads.has(id)) return false;
    try {
      await (await this.#opened()).put('contents', file, id);
      return true;
    } catch {
      return false;
    }
  }

  async content(id: string): Promise<File | undefined> {
    return this.#read((database) => database.get('contents', id));
  }

  async dropContent(id: string): Promise<void> {
    if (!this.#uploads.has(id)) await (await this.#opened()).delete('contents', id);
  }

  async #opened(): Promise<IDBPDatabase<Schema>> {
    const database = await this.#database;
    if (!database) throw new Error('The browser gives no database');
    return database;
  }

  async #read<T>(read: (database: IDBPDatabase<Schema>) => Promise<T>): Promise<T | undefined> {
    try {
      return await read(await this.#opened());
    } catch {
      this.#isLasting = false;
      return undefined;
    }
  }
}
