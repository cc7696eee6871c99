import { Worker } from 'node:worker_threads';

/** The thread ends after this long without work, and gives its memory back. */
const IDLE_MS = 30_000;

/** A module that answers each message that it is sent with one, and how long it may take. */
export interface ThreadOptions {
  module: URL;
  answerWithinMs: number;
}

interface Asked<Question, Answer> {
  question: Question;
  answer: PromiseWithResolvers<Answer>;
}

/** Has questions answered beside the event loop, one after the other, in a thread that is started when there is one. */
export class Thread<Question, Answer> {
  readonly #options: ThreadOptions;
  readonly #asked: Asked<Question, Answer>[] = [];
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Rejects when there is no answer in time; who waits behind that is answered by another thread. */
  ask(question: Question): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>();
    this.#asked.push({ question, answer });
    if (this.#asked.length === 1) this.#askNext();
    return answer.promise;
  }

  #askNext(): void {
    clearTimeout(this.#timer);
    const [next] = this.#asked;
    if (next) this.#post(next.question);
    else this.#rest();
  }

  #post(question: Question): void {
    const late = () => this.#fail(new Error('no answer in time'));
    this.#timer = setTimeout(late, this.#options.answerWithinMs).unref();
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(question);
  }

  #start(): Worker {
    const worker = new Worker(this.#options.module);
    // One that has been ended may still say something, but not about the question of now.
    const heed = <T>(act: (value: T) => void) => {
      return (value: T) => {
        if (this.#worker === worker) act(value);
      };
    };
    worker.on(
      'message',
      heed((answer: Answer) => this.#answered(answer)),
    );
    worker.on(
      'error',
      heed((cause: unknown) => this.#fail(cause)),
    );
    worker.on(
      'exit',
      heed(() => this.#fail(new Error('the thread has ended'))),
    );
    return worker;
  }

  #answered(answer: Answer): void {
    this.#asked.shift()?.answer.resolve(answer);
    this.#askNext();
  }

  #fail(cause: unknown): void {
    this.#end();
    this.#asked.shift()?.answer.reject(cause);
    this.#askNext();
  }

  #rest(): void {
    this.#worker?.unref();
    this.#timer = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  #end(): void {
    clearTimeout(this.#timer);
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}
