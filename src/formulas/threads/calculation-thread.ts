import { Worker } from 'node:worker_threads';
import { CalculationStopped, WorkbookNotHeld } from '../calculation.ts';
import type { Answer, Question } from './messages.ts';

interface Waiting {
  readonly answered: PromiseWithResolvers<Answer>;
  readonly id: number;
}

/** One thread that computes. A question that it does not answer in time ends it, with all that it holds. */
export class CalculationThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  readonly #limitMs: number;
  readonly #onEnd: () => void;
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;
  #isLoaded = false;
  #ended = false;

  constructor(limitMs: number, heapMegabytes: number, onEnd: () => void) {
    this.#limitMs = limitMs;
    this.#onEnd = onEnd;
    this.#worker = new Worker(new URL('./calculation-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, stackSizeMb: 8 },
    });
    this.#worker.unref();
    this.#worker.once('message', () => this.#loaded());
    this.#worker.on('error', (cause) =>
      this.#end(new CalculationStopped('the calculation has failed', { cause })),
    );
    this.#worker.on('exit', () => this.#end(new CalculationStopped('the thread that computes has ended')));
  }

  /** How many questions wait. */
  get load(): number {
    return this.#waiting.length;
  }

  newId(): number {
    return ++this.#lastId;
  }

  /** Asks the thread; answers come in the order of the questions. */
  ask(question: Question, id: number = this.newId()): Promise<Answer> {
    if (this.#ended) return Promise.reject(new WorkbookNotHeld('the thread that computes has ended'));
    const answered = Promise.withResolvers<Answer>();
    this.#waiting.push({ answered, id });
    if (this.#waiting.length === 1) this.#watch();
    this.#worker.postMessage({ ...question, id });
    return answered.promise;
  }

  end(): Promise<unknown> {
    const closed = new CalculationStopped('the calculation is closed');
    this.#end(closed, closed);
    return this.#worker.terminate();
  }

  /** Only then its time begins: on a busy machine loading takes long, whatever it was asked. */
  #loaded(): void {
    this.#isLoaded = true;
    this.#worker.on('message', (answer: Answer) => this.#answer(answer));
    if (this.#waiting.length > 0) this.#watch();
  }

  #watch(): void {
    this.#worker.ref();
    if (!this.#isLoaded) return;
    this.#timer = setTimeout(() => {
      this.#end(new CalculationStopped('the calculation takes too long'));
      void this.#worker.terminate();
    }, this.#limitMs);
  }

  #answer(answer: Answer): void {
    clearTimeout(this.#timer);
    this.#waiting.shift()?.answered.resolve(answer);
    if (this.#waiting.length > 0) this.#watch();
    else this.#worker.unref();
  }

  /** The question that the thread was at has ended it; those that wait behind it have done nothing. */
  #end(why: CalculationStopped, others: CalculationStopped = new WorkbookNotHeld(why.message)): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#onEnd();
    this.#waiting.shift()?.answered.reject(why);
    for (const { answered } of this.#waiting.splice(0)) answered.reject(others);
  }
}
