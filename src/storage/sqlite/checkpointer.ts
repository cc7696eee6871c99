import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StorageUnavailable } from '../database.ts';
import type {
  CheckpointAnswer,
  CheckpointedFile,
  CheckpointMode,
  CheckpointQuestion,
} from './checkpoint-question.ts';

/** Pages of the log at which it is carried into the database file: 16 MiB. */
const LOG_LIMIT = 4_000;
/** How long writers are held up by a reader that still needs the log. */
const PATIENCE_MS = 100;

/**
 * Carries the log into the database file, in a thread of its own. Most of it moves while writes go on; then the
 * writer pauses for the small rest, because only a log that was carried over whole starts again from its beginning:
 * otherwise it would grow as long as writes keep coming.
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

  /** While set, no transaction may begin until it resolves. */
  get pause(): Promise<void> | undefined {
    return this.#pause;
  }

  /** To be told after each commit how many pages the log has. */
  logHas(pages: number): void {
    if (pages < this.#limit) return;
    this.#shrinking ??= this.#shrink(pages).finally(() => {
      this.#shrinking = undefined;
      this.#pause = undefined;
    });
    // The disk does not keep up with the writers: they wait for it.
    if (pages >= this.#limit + LOG_LIMIT) this.#pause ??= this.#shrinking;
  }

  /** Carries everything over and empties the log. Rejects when that was not possible. */
  async emptyLog(): Promise<void> {
    if (!(await this.#checkpoint('truncate'))) throw new StorageUnavailable('The log is still being read');
  }

  /** Empties the log where possible and ends the thread. */
  async close(): Promise<void> {
    await this.#shrinking;
    await this.#checkpoint('truncate').catch(() => undefined);
    const worker = this.#worker;
    if (!worker) return;
    const exit = once(worker, 'exit');
    worker.ref();
    ask(worker, 'close');
    await exit;
  }

  async #shrink(pages: number): Promise<void> {
    // A failure here (a full disk, say) costs no data: the log stays, and is tried again when it has grown.
    const moved = await this.#checkpoint('passive').catch(() => false);
    const rest = moved ? this.#checkpoint('restart').catch(() => false) : Promise.resolve(false);
    this.#pause = rest.then(() => undefined);
    const restarted = await rest;
    // Where a reader is in the way, pausing at every commit would not make it faster.
    this.#limit = restarted ? LOG_LIMIT : pages + LOG_LIMIT;
  }

  /** One at a time. Resolves to whether it was complete. */
  #checkpoint(mode: CheckpointMode): Promise<boolean> {
    const result = this.#last.then(() => this.#ask(mode));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #ask(mode: CheckpointMode): Promise<boolean> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.ref();
    ask(worker, mode);
    try {
      const [answer] = (await once(worker, 'message')) as [CheckpointAnswer];
      if ('error' in answer) throw answer.error;
      return answer.complete;
    } finally {
      worker.unref();
    }
  }

  #start(): Worker {
    // Compiled, this file and the worker's both end in .js.
    const file = new URL(`./checkpoint-worker${extname(import.meta.url)}`, import.meta.url);
    const workerData: CheckpointedFile = { path: this.#path, patienceMs: PATIENCE_MS };
    const worker = new Worker(file, { workerData });
    // It cannot open the file, say: whoever waits for its answer hears of it, and the next one starts another.
    worker.on('error', () => {
      this.#worker = undefined;
    });
    return worker;
  }
}

function ask(worker: Worker, question: CheckpointQuestion): void {
  worker.postMessage(question);
}
