import { Worker } from 'node:worker_threads';

/** The thread ends after this long without work, and gives back the 20 MB that its signatures take. */
const IDLE_MS = 30_000;
/** Usual answers take a millisecond; bytes that take longer than this are made to. */
const ANSWER_WITHIN_MS = 10_000;

interface Question {
  head: Uint8Array;
  answer: PromiseWithResolvers<string>;
}

/** Asks libmagic beside the event loop, one question after the other. */
class MagicThread {
  readonly #worker = new Worker(new URL('./magic-worker.ts', import.meta.url));
  readonly #questions: Question[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    this.#worker.on('message', (type: string) => this.#answered(type));
    this.#worker.on('error', (cause) => this.#fail(cause));
    this.#worker.on('exit', () => this.#fail(new Error('the thread that knows signatures has ended')));
  }

  ask(head: Uint8Array): Promise<string> {
    const answer = Promise.withResolvers<string>();
    this.#questions.push({ head, answer });
    if (this.#questions.length === 1) this.#askNext();
    return answer.promise;
  }

  #askNext(): void {
    clearTimeout(this.#timer);
    const [next] = this.#questions;
    if (next) this.#worker.ref();
    else this.#worker.unref();
    this.#timer = next
      ? setTimeout(() => this.#fail(new Error('no answer in time')), ANSWER_WITHIN_MS)
      : setTimeout(() => this.#end(), IDLE_MS);
    this.#timer.unref();
    if (next) this.#worker.postMessage(next.head);
  }

  #answered(type: string): void {
    this.#questions.shift()?.answer.resolve(type);
    this.#askNext();
  }

  #end(): void {
    if (thread === this) thread = undefined;
    clearTimeout(this.#timer);
    void this.#worker.terminate();
  }

  /** Who waited behind the question that failed is asked again, in a new thread. */
  #fail(cause: unknown): void {
    this.#end();
    const [failed, ...others] = this.#questions.splice(0);
    failed?.answer.reject(cause);
    for (const { head, answer } of others) askMagic(head).then(answer.resolve, answer.reject);
  }
}

let thread: MagicThread | undefined;

/** What libmagic makes of the first bytes of some content. Rejects when it finds no answer in time. */
export function askMagic(head: Uint8Array): Promise<string> {
  thread ??= new MagicThread();
  return thread.ask(head);
}
