import { RequestWorker } from '../../../turns/request-worker.ts';
import { Thread } from '../../../turns/thread.ts';
import { StorageUnavailable } from '../../database.ts';
import type {
  FolderKey,
  FolderToGather,
  FullTextIndex,
  GatheredFolder,
  Hit,
  IndexBatch,
  IndexedDigest,
  IndexPosition,
  IndexQuery,
  IndexState,
  ObjectKey,
} from '../full-text-index.ts';
import { IndexFile } from './index-file.ts';
import type { IndexReply, IndexRequest } from './index-worker.ts';

const MODULE = new URL('./index-worker.ts', import.meta.url);
const HEAP_MEGABYTES = 512;
/** A batch has a large file at most. */
const WRITE_TIMEOUT_MS = 120_000;
const SEARCH_TIMEOUT_MS = 10_000;
/** An idle writer ends after this time and frees its memory. */
const IDLE_MS = 30_000;

/**
 * The index beside a database of SQLite: a file of its own, written and read in threads. So indexing holds up neither the
 * event loop nor the writer of the database.
 */
export class SqliteIndex implements FullTextIndex {
  readonly engine = 'sqlite';
  readonly #path: string;
  readonly #readers = new Thread<IndexRequest, IndexReply>({
    module: MODULE,
    timeoutMs: SEARCH_TIMEOUT_MS,
    heapMegabytes: HEAP_MEGABYTES,
  });
  #writer: RequestWorker<IndexRequest, IndexReply> | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Writes come one after another. */
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  async state(): Promise<IndexState | undefined> {
    const last = this.#lastWrite;
    await last;
    const state = IndexFile.stateIn(this.#path);
    // Whatever a writer has open then is not the index: the next one opens what is there.
    if (state === undefined && last === this.#lastWrite) this.#endWriter('there is no index');
    return state;
  }

  write(batch: IndexBatch): Promise<boolean> {
    return this.#write({ path: this.#path, call: 'write', batch });
  }

  /** None: the changes of all workspaces are in one order. */
  async marks(): Promise<ReadonlyMap<string, IndexPosition>> {
    return new Map();
  }

  removeOlder(build: number, limit: number): Promise<number> {
    return this.#write({ path: this.#path, call: 'removeOlder', build, limit });
  }

  dueFolders(limit: number): Promise<FolderKey[]> {
    return this.#read({ path: this.#path, call: 'dueFolders', limit });
  }

  gather(folders: readonly FolderToGather[], limit: number): Promise<void> {
    return this.#write({ path: this.#path, call: 'gather', folders, limit });
  }

  foldersUnder(workspaceId: string, roots: readonly string[]): Promise<GatheredFolder[]> {
    return this.#read({ path: this.#path, call: 'foldersUnder', workspaceId, roots });
  }

  check(): Promise<string[]> {
    return this.#write({ path: this.#path, call: 'check' });
  }

  search(query: IndexQuery): Promise<Hit[]> {
    return this.#read({ path: this.#path, call: 'search', query });
  }

  async excerpts(workspaceId: string, ids: readonly string[]): Promise<Map<string, string>> {
    return new Map(
      await this.#read<[string, string][]>({ path: this.#path, call: 'excerpts', workspaceId, ids }),
    );
  }

  digests(keys: readonly ObjectKey[]): Promise<IndexedDigest[]> {
    return this.#read({ path: this.#path, call: 'digests', keys });
  }

  count(): Promise<number> {
    return this.#read({ path: this.#path, call: 'count' });
  }

  list(after: ObjectKey | undefined, limit: number): Promise<IndexedDigest[]> {
    return this.#read({ path: this.#path, call: 'list', after, limit });
  }

  async close(): Promise<void> {
    await this.#lastWrite;
    this.#endWriter('the index is closed');
    this.#readers.close();
  }

  #write<T>(request: IndexRequest): Promise<T> {
    const reply = this.#lastWrite.then(() => this.#startedWriter().ask(request));
    this.#lastWrite = reply.catch(() => undefined).then(() => this.#endLater());
    return resultOf<T>(reply);
  }

  #startedWriter(): RequestWorker<IndexRequest, IndexReply> {
    clearTimeout(this.#idle);
    if (this.#writer === undefined || this.#writer.hasEnded)
      this.#writer = new RequestWorker({
        module: MODULE,
        timeoutMs: WRITE_TIMEOUT_MS,
        heapMegabytes: HEAP_MEGABYTES,
      });
    return this.#writer;
  }

  #endLater(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#endWriter('there was no work'), IDLE_MS).unref();
  }

  #endWriter(why: string): void {
    clearTimeout(this.#idle);
    this.#writer?.end(new Error(why));
    this.#writer = undefined;
  }

  async #read<T>(request: IndexRequest): Promise<T> {
    const reply = this.#readers.ask(request);
    const answer = await reply.catch(() => undefined);
    if (answer && 'error' in answer && answer.damaged !== undefined)
      await this.#write({ path: this.#path, call: 'discard', identity: answer.damaged });
    return resultOf<T>(reply);
  }
}

async function resultOf<T>(reply: Promise<IndexReply>): Promise<T> {
  const answer = await reply.catch((cause) => {
    throw new StorageUnavailable('The full-text index gave no answer', { cause });
  });
  if ('error' in answer) throw new StorageUnavailable(`The full-text index: ${answer.error}`);
  return answer.result as T;
}
