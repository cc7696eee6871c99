import { useSyncExternalStore } from 'react';
import { AtriumError } from '../../../../client/src/index.ts';
import { mayPass, pauseAfter } from '../../../../client/src/retrying.ts';
import { api } from '../../app/api.ts';
import { outbox } from '../../app/outbox.ts';
import { onSessionEnd, rememberUploads } from '../../app/pending-uploads.ts';
import { reasonOf } from '../../app/refusals.ts';
import { Refused, session } from '../../app/session.ts';
import { showToast } from '../../app/toasts.tsx';
import { tellUnsaved } from '../../app/unsaved.ts';
import type { Dropped } from './dropped.ts';
import { NewFolders, planFolders } from './new-folders.ts';
import { holdLock, isLocked, randomKey, unlessLocked } from './once.ts';
import { Speed } from './speed.ts';
import { unsavedUploads } from './unsaved-uploads.ts';
import { type Upload, UploadStore } from './upload-store.ts';
import type { Progress, UploadsState } from './uploads-state.ts';

/** Files at once; each sends several parts at once. */
const AT_ONCE = 3;
/** A copy of the file is kept in the browser up to this size; larger ones are asked for again after a reload. */
const KEPT_BYTES = 2 * 2 ** 30;
/** How soon a tab looks again at what another tab sends, or at a folder that could not be made. */
const OTHER_TAB_MS = 3000;

type TabMessage = { kind: 'changed' } | { kind: 'progress'; id: string; progress: Progress };

/**
 * Uploads files in the background, over lost connections, reloads and crashes: what is known of each is stored before it is
 * sent, and the server says which parts it has. Tabs share what is stored; each file is sent by one tab at a time.
 */
class Uploads {
  readonly #store = new UploadStore();
  readonly #files = new Map<string, File>();
  readonly #running = new Map<string, AbortController>();
  readonly #tabs = new BroadcastChannel('atrium-uploads');
  readonly #listeners = new Set<() => void>();
  readonly #folders = new NewFolders(this.#store, () => outbox.sessionId());
  #progress = new Map<string, Progress>();
  #state: UploadsState = { uploads: [], progress: this.#progress, isCutOff: false, isLasting: true };
  #userId: string | undefined;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): UploadsState => this.#state;

  constructor() {
    addEventListener('online', () => this.#startNext());
    onSessionEnd(() => this.close());
  }

  /** Goes on with what a user has not uploaded yet. */
  async open(userId: string): Promise<void> {
    if (this.#userId === userId) return;
    this.close();
    this.#userId = userId;
    this.#tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => {
      if (data.kind === 'changed') void this.#reload();
      else if (!this.#running.has(data.id)) this.#show(data.id, data.progress);
    };
    const done = (await this.#store.all(userId)).filter(({ state }) => state === 'done');
    await this.#store.remove(done.map(({ id }) => id));
    await this.#reload();
    for (const folder of await this.#store.folders(userId)) void this.#makeFolder(folder.id, userId);
  }

  /** The session has ended: what is under way waits until the same user has signed in again. */
  close(): void {
    this.#userId = undefined;
    clearTimeout(this.#timer);
    for (const controller of this.#running.values()) controller.abort(new Refused('The session has ended.'));
    this.#progress = new Map();
    this.#set({ uploads: [], progress: this.#progress, isCutOff: false });
  }

  /** Resolves when the files are remembered; they are uploaded from then on. */
  async add(dropped: readonly Dropped[], folderId: string): Promise<void> {
    const userId = this.#userId;
    if (userId === undefined) throw new Error('Nobody is signed in');
    const { folders, targetOf } = planFolders(dropped, folderId, userId);
    const first = Date.now();
    const files = dropped.flatMap(({ file, path }) => (file ? [{ file, path }] : []));
    const uploads = files.map(({ file, path }, index): Upload => {
      const { name, size, lastModified } = file;
      const target = targetOf(path);
      const [id, startKey] = [randomKey(), randomKey()];
      return {
        id,
        startKey,
        userId,
        number: first + index / files.length,
        name,
        size,
        lastModified,
        target,
        state: 'waiting',
      };
    });
    uploads.forEach((upload, index) => {
      const file = files[index]?.file;
      if (file) this.#files.set(upload.id, file);
    });
    await this.#store.add(uploads, folders);
    await this.#changed();
    for (const { id } of folders) void this.#makeFolder(id, userId);
    await this.#keepContents(uploads);
  }

  async pause(ids: readonly string[]): Promise<void> {
    await this.#changeAll(ids, { state: 'paused' });
  }

  async resume(ids: readonly string[]): Promise<void> {
    this.#failures = 0;
    await this.#changeAll(ids, { state: 'waiting', problem: undefined });
  }

  /** Gives uploads up, and forgets those that are done. */
  async remove(ids: readonly string[]): Promise<void> {
    const removed = this.#state.uploads.filter(({ id }) => ids.includes(id));
    await this.#store.remove(ids);
    for (const id of ids) this.#files.delete(id);
    await this.#changed();
    for (const { session: open, state } of removed)
      if (open !== undefined && state !== 'done') await api.files.abortUpload(open).catch(() => undefined);
  }

  /** Goes on with a file that the person has chosen again. Another file starts from its beginning. */
  async giveFile(id: string, file: File): Promise<void> {
    const upload = await this.#store.get(id);
    if (!upload) return;
    const isSame = upload.size === file.size && upload.lastModified === file.lastModified;
    this.#files.set(id, file);
    this.#progress.delete(id);
    const { name, size, lastModified } = file;
    const other = { name, size, lastModified, session: undefined, startKey: randomKey() };
    await this.#changeAll([id], { state: 'waiting', problem: undefined, ...(!isSame && other) });
    await this.#keepContents([{ ...upload, size }]);
  }

  async #changeAll(ids: readonly string[], change: Partial<Upload>): Promise<void> {
    for (const id of ids) await this.#store.change(id, change);
    await this.#changed();
  }

  /** A tab holds the lock of a file that only it can read, so that no other asks the person for it. */
  async #keepContents(uploads: readonly Pick<Upload, 'id' | 'size'>[]): Promise<void> {
    for (const { id, size } of uploads) {
      const file = this.#files.get(id);
      if (!file) continue;
      const release = holdLock(lockOfFile(id));
      if (size <= KEPT_BYTES && (await this.#store.keepContent(id, file))) release();
      if (!(await this.#store.get(id))) await this.#store.dropContent(id);
    }
  }

  async #makeFolder(id: string, userId: string): Promise<void> {
    if (userId !== this.#userId) return;
    try {
      await this.#folders.idOf({ newFolder: id });
      await this.#forgetFolders();
    } catch (error) {
      // With the session it waits for the next one.
      if (isOfSession(error)) return;
      if (mayPass(error)) setTimeout(() => void this.#makeFolder(id, userId), OTHER_TAB_MS);
      // What lands in the folder tells why it cannot; an empty one has nothing else to tell it.
      else showToast({ text: reasonOf(error), kind: 'problem' });
    }
  }

  /** Folders are remembered until all that lands in them is done. */
  async #forgetFolders(): Promise<void> {
    if (this.#userId === undefined) return;
    if (this.#state.uploads.some(({ state }) => state !== 'done')) return;
    const folders = await this.#store.folders(this.#userId);
    if (folders.every(({ folderId }) => folderId !== undefined))
      await this.#store.removeFolders(folders.map(({ id }) => id));
  }

  async #changed(): Promise<void> {
    await this.#reload();
    this.#tabs.postMessage({ kind: 'changed' } satisfies TabMessage);
  }

  async #reload(): Promise<void> {
    const userId = this.#userId;
    if (userId === undefined) return;
    const uploads = await this.#store.all(userId);
    if (userId !== this.#userId) return;
    const waiting = new Set(uploads.flatMap(({ id, state }) => (state === 'waiting' ? [id] : [])));
    for (const [id, controller] of this.#running) if (!waiting.has(id)) controller.abort();
    rememberUploads(
      userId,
      uploads.some(({ state }) => state !== 'done'),
    );
    this.#set({ uploads, isLasting: this.#store.isLasting });
    this.#startNext();
  }

  #startNext(): void {
    clearTimeout(this.#timer);
    if (this.#userId === undefined) return;
    for (const upload of this.#state.uploads) {
      if (this.#running.size >= AT_ONCE) return;
      const isDue = upload.state === 'waiting' && !this.#progress.get(upload.id)?.needsFile;
      if (isDue && !this.#running.has(upload.id)) void this.#start(upload.id);
    }
  }

  async #start(id: string): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    let isMine = false;
    try {
      await unlessLocked(`atrium-upload-${id}`, async () => {
        isMine = true;
        await this.#run(id, controller.signal);
      });
      this.#reached();
    } catch (error) {
      if (mayPass(error) && !controller.signal.aborted) return this.#retryLater();
      await this.#fail(id, error, controller.signal);
    } finally {
      this.#running.delete(id);
      this.#pauseProgress(id);
    }
    if (isMine) this.#startNext();
    // Another tab is at it; should it be closed, this one goes on.
    else setTimeout(() => this.#startNext(), OTHER_TAB_MS);
  }

  async #run(id: string, signal: AbortSignal): Promise<void> {
    const upload = await this.#store.get(id);
    if (upload?.state !== 'waiting' || upload.userId !== this.#userId) return;
    const file = this.#files.get(id) ?? (await this.#store.content(id));
    if (!file) {
      const isElsewhere = await isLocked(lockOfFile(id));
      return this.#show(id, { done: 0, speed: 0, needsFile: !isElsewhere });
    }
    const folderId = await this.#folders.idOf(upload.target);
    signal.throwIfAborted();
    const remember = async (open: string) => void (await this.#store.change(id, { session: open }));
    const open = upload.session ?? (await this.#open(upload, folderId, signal));
    if (upload.session === undefined) await remember(open);
    const speed = new Speed();
    const { id: fileId } = await api.files.upload(file, {
      filename: upload.name,
      session: open,
      onSession: remember,
      signal,
      ...(folderId !== '' && { folderId }),
      onProgress: ({ done }) => this.#tell(id, { done, speed: speed.after(done) }),
    });
    await this.#store.change(id, { state: 'done', fileId });
    await this.#store.dropContent(id);
    this.#files.delete(id);
    await this.#changed();
    await this.#forgetFolders();
  }

  async #open({ name, size, startKey }: Upload, folderId: string, signal: AbortSignal): Promise<string> {
    const body = { filename: name, size, ...(folderId !== '' && { folder_id: folderId }) };
    return (await api.files.startUpload(body, { idempotencyKey: startKey, signal })).session_id;
  }

  async #fail(id: string, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    // It waits for the next session of its user.
    if (isOfSession(error)) return session.lose();
    if (error instanceof DOMException) {
      // The file was changed, moved or deleted on this machine.
      this.#files.delete(id);
      await this.#store.dropContent(id);
      return this.#show(id, { done: 0, speed: 0, needsFile: true });
    }
    // An upload that has ended on the server is started again as a new one.
    const isEnded = error instanceof AtriumError && error.status === 410;
    const change: Partial<Upload> = isEnded
      ? { session: undefined, startKey: randomKey() }
      : { state: 'failed', problem: reasonOf(error) };
    await this.#store.change(id, change);
    await this.#changed();
  }

  /** Goes on after a pause, which grows with each failure. */
  #retryLater(): void {
    this.#failures++;
    this.#set({ isCutOff: true });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#startNext(), pauseAfter(this.#failures, undefined));
  }

  #reached(): void {
    this.#failures = 0;
    if (this.#state.isCutOff) this.#set({ isCutOff: false });
  }

  #pauseProgress(id: string): void {
    const last = this.#progress.get(id);
    if (last && last.speed > 0) this.#tell(id, { ...last, speed: 0 });
  }

  #tell(id: string, progress: Progress): void {
    this.#tabs.postMessage({ kind: 'progress', id, progress } satisfies TabMessage);
    this.#show(id, progress);
  }

  #show(id: string, progress: Progress): void {
    this.#progress = new Map(this.#progress).set(id, progress);
    this.#set({ progress: this.#progress });
  }

  #set(change: Partial<UploadsState>): void {
    this.#state = { ...this.#state, ...change };
    tellUnsaved(this, unsavedUploads(this.#state));
    for (const listener of this.#listeners) listener();
  }
}

/** The session has ended, or the server gives no token for it. */
function isOfSession(error: unknown): boolean {
  return error instanceof Refused || (error instanceof AtriumError && error.status === 401);
}

function lockOfFile(id: string): string {
  return `atrium-upload-file-${id}`;
}

export const uploads = new Uploads();

export function useUploads(): UploadsState {
  return useSyncExternalStore(uploads.subscribe, uploads.state);
}
