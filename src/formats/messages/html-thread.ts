import { Worker } from 'node:worker_threads';
import type { ShownBody } from './shown-body.ts';
import type { TextContent } from './text-content.ts';

/** The thread ends after this long without work, and gives its memory back. */
const IDLE_MS = 30_000;

/** Reads HTML bodies beside the event loop, one after the other: a large one takes up to a second. */
class HtmlThread {
  readonly #worker = new Worker(new URL('./html-worker.ts', import.meta.url));
  readonly #asked: PromiseWithResolvers<ShownBody>[] = [];
  #idle: NodeJS.Timeout | undefined;

  constructor() {
    this.#worker.on('message', (body: ShownBody) => this.#answer(body));
    this.#worker.on('error', (cause) => this.#fail(cause));
    this.#worker.on('exit', () => this.#fail(new Error('the thread that reads HTML has ended')));
  }

  read(textForm: TextContent[], htmlForm: TextContent[]): Promise<ShownBody> {
    clearTimeout(this.#idle);
    this.#worker.ref();
    const asked = Promise.withResolvers<ShownBody>();
    this.#asked.push(asked);
    this.#worker.postMessage({ textForm, htmlForm });
    return asked.promise;
  }

  #answer(body: ShownBody): void {
    this.#asked.shift()?.resolve(body);
    if (this.#asked.length > 0) return;
    this.#worker.unref();
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  #end(): void {
    if (thread === this) thread = undefined;
    void this.#worker.terminate();
  }

  #fail(cause: unknown): void {
    this.#end();
    for (const asked of this.#asked.splice(0)) asked.reject(cause);
  }
}

let thread: HtmlThread | undefined;

/** What people see of a message with HTML. Rejects when the thread cannot read it, as for want of memory. */
export function readInThread(textForm: TextContent[], htmlForm: TextContent[]): Promise<ShownBody> {
  thread ??= new HtmlThread();
  return thread.read(textForm, htmlForm);
}
