import { Worker } from 'node:worker_threads';

/** The module of a worker and its limits. */
export interface WorkerLimits {
  module: URL;
  /** Time for one reply, counted from the end of loading: on a busy machine loading alone can take long. */
  timeoutMs: number;
  /** Heap limit. A worker that exceeds it ends, and its current request fails. */
  heapMegabytes: number;
}

/** A worker posts this before its last reply, when only its end frees the memory that it holds. */
export const LAST_REPLY = 'last reply';

/** V8's young generation comes on top of the heap limit; without this option V8 sizes it by the machine. */
const YOUNG_MEGABYTES = 32;

/** A worker thread that handles one request at a time. After an error or a timeout it has ended and is not reused. */
export class RequestWorker<Request, Reply> {
  readonly #worker: Worker;
  readonly #timeoutMs: number;
  readonly #loaded = Promise.withResolvers<void>();
  #pending: PromiseWithResolvers<Reply> | undefined;
  #isLoaded = false;
  #hasEnded = false;
  #isAtLastReply = false;

  constructor({ module, timeoutMs, heapMegabytes }: WorkerLimits) {
    this.#timeoutMs = timeoutMs;
    this.#worker = new Worker(new URL('./request-worker-entry.ts', import.meta.url), {
      workerData: module.href,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    this.#worker.once('message', () => {
      this.#isLoaded = true;
      this.#loaded.resolve();
      this.#worker.on('message', (reply: Reply | typeof LAST_REPLY) => this.#receive(reply));
    });
    this.#worker.on('error', (cause) => this.#fail(cause));
    this.#worker.on('exit', () => this.#fail(new Error('the thread has ended')));
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Resolves when the module is loaded or the worker has ended. */
  get loaded(): Promise<void> {
    return this.#loaded.promise;
  }

  /**
   * Sends one request; call it only after the reply to the previous one. Rejects without a reply in time; then the
   * worker has ended.
   */
  async ask(request: Request): Promise<Reply> {
    const pending = Promise.withResolvers<Reply>();
    this.#pending = pending;
    this.#worker.ref();
    this.#worker.postMessage(request);
    let timer: NodeJS.Timeout | undefined;
    void this.#loaded.promise.then(() => {
      if (this.#pending !== pending) return;
      timer = setTimeout(() => this.end(new Error('no answer in time')), this.#timeoutMs).unref();
    });
    try {
      return await pending.promise;
    } finally {
      clearTimeout(timer);
      this.#pending = undefined;
      this.#worker.unref();
    }
  }

  /** Ends the worker; its current request fails. */
  end(why: Error): void {
    this.#fail(why);
    void this.#worker.terminate();
  }

  #receive(reply: Reply | typeof LAST_REPLY): void {
    if (reply === LAST_REPLY) {
      this.#isAtLastReply = true;
      return;
    }
    this.#pending?.resolve(reply);
    if (this.#isAtLastReply) this.end(new Error('the thread has given its last reply'));
  }

  #fail(why: unknown): void {
    this.#hasEnded = true;
    this.#loaded.resolve();
    this.#pending?.reject(why);
  }
}
