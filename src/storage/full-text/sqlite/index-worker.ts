import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { FolderToGather, IndexBatch, IndexQuery, ObjectKey } from '../full-text-index.ts';
import { identityOf, isDamage } from './file-state.ts';
import { IndexFile } from './index-file.ts';

/** A call of the index file, in a thread: its calls block. */
export type IndexRequest = { path: string } & (
  | { call: 'write'; batch: IndexBatch }
  | { call: 'removeOlder'; build: number; limit: number }
  | { call: 'gather'; folders: readonly FolderToGather[]; limit: number }
  | { call: 'dueFolders'; limit: number }
  | { call: 'foldersUnder'; workspaceId: string; roots: readonly string[] }
  | { call: 'search'; query: IndexQuery }
  | { call: 'excerpts'; workspaceId: string; ids: readonly string[] }
  | { call: 'digests'; keys: readonly ObjectKey[] }
  | { call: 'count' }
  | { call: 'list'; after: ObjectKey | undefined; limit: number }
  | { call: 'check' }
  | { call: 'discard'; identity: string }
);

/** The result of the call, or the message of its error; `damaged` is the identity of a file that is to be made anew. */
export type IndexReply = { result: unknown } | { error: string; damaged?: string | undefined };

const WRITES = ['write', 'removeOlder', 'gather', 'check', 'discard'];

/** A file that a reader has found damaged twice: opened long ago, and opened just now. */
class Damaged extends Error {
  readonly identity: string | undefined;

  constructor(cause: unknown, identity: string | undefined) {
    super((cause as Error).message, { cause });
    this.identity = identity;
  }
}

/** As of `nice`: 0 is usual, and 19 is the lowest. */
const WRITER_PRIORITY = 5;

let writer: IndexFile | undefined;
let reader: IndexFile | undefined;

parentPort?.on('message', async (request: IndexRequest) => {
  let reply: IndexReply;
  try {
    reply = { result: await answer(request) };
  } catch (error) {
    const damaged = error instanceof Damaged ? error.identity : undefined;
    reply = { error: (error as Error).message, damaged };
  }
  parentPort?.postMessage(reply);
});

async function answer(request: IndexRequest): Promise<unknown> {
  if (!WRITES.includes(request.call)) return answerRead(request);
  if (request.call === 'discard') return discard(request.path, request.identity);
  giveWay();
  writer = inPlace(writer) ?? IndexFile.openToWrite(request.path);
  const { identity } = writer;
  try {
    return await write(writer, request);
  } catch (error) {
    if (isDamage(error)) discard(request.path, identity);
    throw error;
  }
}

/**
 * Has requests go first where the processors are busy (decision 80). On Linux the priority is that of the thread that sets
 * it; elsewhere it would be that of the process. A server that goes after other programs keeps its own: to raise one is
 * refused.
 */
function giveWay(): void {
  if (process.platform === 'linux' && getPriority() < WRITER_PRIORITY) setPriority(WRITER_PRIORITY);
}

/** A file may be removed or replaced while it is open. Closes one that is not in its place any more. */
function inPlace(file: IndexFile | undefined): IndexFile | undefined {
  if (file?.isInPlace()) return file;
  file?.close();
  return undefined;
}

/** Removes a damaged file, unless another one has come into its place: the index is derived and made anew. */
function discard(path: string, identity: string | undefined): void {
  writer?.close();
  writer = undefined;
  if (identity === identityOf(path)) IndexFile.remove(path);
}

function answerRead(request: IndexRequest): unknown {
  for (let isAgain = false; ; isAgain = true) {
    reader = inPlace(reader) ?? IndexFile.openToRead(request.path);
    if (!reader) return request.call === 'count' ? 0 : [];
    try {
      return read(reader, request);
    } catch (error) {
      if (!isDamage(error)) throw error;
      const { identity } = reader;
      reader.close();
      reader = undefined;
      if (isAgain) throw new Damaged(error, identity);
    }
  }
}

function write(file: IndexFile, request: IndexRequest): unknown {
  switch (request.call) {
    case 'write':
      return file.write(request.batch);
    case 'removeOlder':
      return file.removeOlder(request.build, request.limit);
    case 'gather':
      return file.gather(request.folders, request.limit);
    case 'check':
      return file.check();
    default:
      throw new TypeError(`${request.call} does not write`);
  }
}

function read(file: IndexFile, request: IndexRequest): unknown {
  switch (request.call) {
    case 'search':
      return file.search(request.query);
    case 'dueFolders':
      return file.dueFolders(request.limit);
    case 'foldersUnder':
      return file.foldersUnder(request.workspaceId, request.roots);
    case 'excerpts':
      return [...file.excerpts(request.workspaceId, request.ids)];
    case 'digests':
      return file.digests(request.keys);
    case 'count':
      return file.count();
    case 'list':
      return file.list(request.after, request.limit);
    default:
      throw new TypeError(`${request.call} does not read`);
  }
}
