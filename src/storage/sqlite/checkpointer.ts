import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StorageUnavailable } from '../database.ts';
import type {
  CheckpointedFile,
  CheckpointMode,
  CheckpointReply,
  CheckpointRequest,
} from './checkpoint-messages.ts';

/** Pages of the write-ahead log that trigger a checkpoint: 16 MiB. */
const LOG_LIMIT = 4_000;
/** How long a checkpoint, and with it the writer, waits for a reader that still needs the log. */
const PATIENCE_MS = 100;

/**
 * Checkpoints the write-ahead log into the database file in a worker thread. Most of it is copied while writes
 * continue; then the writer pauses for the small rest, because only a completely copied log restarts from its
 * beginning. Otherwise it would grow as long as writes keep coming.
 */
export class Checkpointer {
  readonly #path: string;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #shrinking: Promise<void> | undefined;
  #limit = LOG_LIMIT;
  #pause: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** If defined, no transaction may begin until it resolves. */
  get pause(): Promise<void> | undefined {
    return this.#pause;
  }

  /** Must be called after commits with the number of pages of the log. */
  noteLogSize(pages: number): void {
    if (pages < this.#limit) return;
    this.#shrinking ??= this.#shrink(pages).finally(() => {
      this.#shrinking = undefined;
      this.#pause = undefined;
    });
    // The disk does not keep up with the writers: they must wait.
    if (pages >= this.#limit + LOG_LIMIT) this.#pause ??= this.#shrinking;
  }

  /** Checkpoints everything and empties the log. Rejects when that was not possible. */
  async emptyLog(): Promise<void> {
    if (!(await this.#checkpoint('truncate'))) throw new StorageUnavailable('The log is still being read');
  }

  /** Empties the log if possible and ends the thread. */
  async close(): Promise<void> {
    await this.#shrinking;
    await this.#checkpoint('truncate').catch(() => undefined);
    const worker = this.#worker;
    if (!worker) return;
    const exit = once(worker, 'exit');
    worker.ref();
    send(worker, 'close');
    await exit;
  }

  async #shrink(pages: number): Promise<void> {
    // A failure (of a full disk, for example) loses no data: the log stays, and the next attempt follows when it has
    // grown.
    const isCopied = await this.#checkpoint('passive').catch(() => false);
    const rest = isCopied ? this.#checkpoint('restart').catch(() => false) : Promise.resolve(false);
    this.#pause = rest.then(() => undefined);
    const restarted = await rest;
    // If a reader is in the way, do not pause again at every commit: it would not help.
    this.#limit = restarted ? LOG_LIMIT : pages + LOG_LIMIT;
  }

  /** Runs one checkpoint at a time. Resolves to whether it was complete. */
  #checkpoint(mode: CheckpointMode): Promise<boolean> {
    const result = this.#last.then(() => this.#request(mode));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #request(mode: CheckpointMode): Promise<boolean> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.ref();
    send(worker, mode);
    try {
      const [reply] = (await once(worker, 'message')) as [CheckpointReply];
      if ('error' in reply) throw reply.error;
      return reply.complete;
    } finally {
      worker.unref();
    }
  }

  #start(): Worker {
    // The worker has the extension of this file: .js when compiled.
    const file = new URL(`./checkpoint-worker${extname(import.meta.url)}`, import.meta.url);
    const workerData: CheckpointedFile = { path: this.#path, patienceMs: PATIENCE_MS };
    const worker = new Worker(file, { workerData });
    // For example, it cannot open the file. The waiting caller gets the error; the next call starts another worker.
    worker.on('error', () => {
      this.#worker = undefined;
    });
    return worker;
  }
}

function send(worker: Worker, request: CheckpointRequest): void {
  worker.postMessage(request);
}
