import { Worker } from 'node:worker_threads';

/** What a worker is started with, and what it may take. */
export interface WorkerMeasure {
  module: URL;
  /** Time for one answer, from when its module is loaded: on a busy machine that takes long, whatever was asked. */
  answerWithinMs: number;
  /** Memory of its heap; one that needs more is ended, and the question it was at is not answered. */
  heapMegabytes: number;
}

/** Young objects come on top; without a bound V8 would give them a share of the machine. */
const YOUNG_MEGABYTES = 32;

/** A worker that answers one question at a time. One that fails, or is late, is of no use any more. */
export class AnsweringWorker<Question, Answer> {
  readonly #worker: Worker;
  readonly #answerWithinMs: number;
  readonly #loaded = Promise.withResolvers<void>();
  #asked: PromiseWithResolvers<Answer> | undefined;
  #hasEnded = false;

  constructor({ module, answerWithinMs, heapMegabytes }: WorkerMeasure) {
    this.#answerWithinMs = answerWithinMs;
    this.#worker = new Worker(new URL('./answering-entry.ts', import.meta.url), {
      workerData: module.href,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    this.#worker.once('message', () => {
      this.#loaded.resolve();
      this.#worker.on('message', (answer: Answer) => this.#asked?.resolve(answer));
    });
    this.#worker.on('error', (cause) => this.#fail(cause));
    this.#worker.on('exit', () => this.#fail(new Error('the thread has ended')));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Resolves when it has loaded its module, or has ended. */
  get loaded(): Promise<void> {
    return this.#loaded.promise;
  }

  /** The answer to one question, after that to the one before. Rejects where there is none in time: then it has ended. */
  async ask(question: Question): Promise<Answer> {
    const asked = Promise.withResolvers<Answer>();
    this.#asked = asked;
    this.#worker.ref();
    this.#worker.postMessage(question);
    let timer: NodeJS.Timeout | undefined;
    void this.#loaded.promise.then(() => {
      if (this.#asked !== asked) return;
      timer = setTimeout(() => this.end(new Error('no answer in time')), this.#answerWithinMs).unref();
    });
    try {
      return await asked.promise;
    } finally {
      clearTimeout(timer);
      this.#asked = undefined;
      this.#worker.unref();
    }
  }

  /** Ends it; the question that it is at is not answered. */
  end(why: Error): void {
    this.#fail(why);
    void this.#worker.terminate();
  }

  #fail(why: unknown): void {
    this.#hasEnded = true;
    this.#loaded.resolve();
    this.#asked?.reject(why);
  }
}
