import { Worker } from 'node:worker_threads';
import { currentUser } from '../../turns/current-user.ts';
import { FairQueue } from '../../turns/fair-queue.ts';
import type { Usage } from '../../turns/usage.ts';
import { CalculationStopped, WorkbookNotHeld } from '../calculation.ts';
import type { Answer, Question, ThreadData } from './messages.ts';

interface Asked {
  readonly answered: PromiseWithResolvers<Answer>;
  readonly id: number;
  readonly whom: string;
  question: Question;
  /** What its turns have taken so far. */
  spentMs: number;
}

/** What a thread may take, and where it counts whose time it was. */
export interface ThreadLimits {
  readonly answerMs: number;
  readonly heapMegabytes: number;
  readonly usage: Usage;
  /** Whether a calculation that others wait for gives way to them. */
  readonly givesWay: boolean;
}

/** No more than one worker may have of young objects; without a bound V8 gives them a share of the machine. */
const YOUNG_MEGABYTES = 64;
const STACK_MEGABYTES = 8;

/**
 * Opening a workbook takes several questions, each after the answer to the one before. Others who wait are asked for only so
 * much later: who has used little would else wait for a turn of theirs with each of its questions.
 */
const NEXT_OF_SAME_MS = 2;

/** Requests are bounded where they come in: what they ask of a thread is not turned away half way. */
const WAITING = { each: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY };

/**
 * One thread that computes, for those first who have used threads the least. A question that it does not answer in time
 * ends it, with all that it holds.
 */
export class CalculationThread {
  readonly #worker: Worker;
  readonly #waiting: FairQueue<Asked>;
  readonly #limits: ThreadLimits;
  readonly #onEnd: () => void;
  readonly #flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #present: Asked | undefined;
  #startedAt = 0;
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whose next question is waited for. */
  #expected: string | undefined;
  #isLoaded = false;
  #ended = false;

  constructor(limits: ThreadLimits, onEnd: () => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
    this.#waiting = new FairQueue(WAITING, limits.usage);
    this.#worker = new Worker(new URL('./calculation-worker.ts', import.meta.url), {
      workerData: { waiting: this.#flag } satisfies ThreadData,
      resourceLimits: {
        maxOldGenerationSizeMb: limits.heapMegabytes,
        maxYoungGenerationSizeMb: YOUNG_MEGABYTES,
        stackSizeMb: STACK_MEGABYTES,
      },
    });
    this.#worker.unref();
    this.#worker.once('message', () => this.#loaded());
    this.#worker.on('error', (cause) =>
      this.#end(new CalculationStopped('the calculation has failed', { cause })),
    );
    this.#worker.on('exit', () => this.#end(new CalculationStopped('the thread that computes has ended')));
  }

  /** How many questions it has. */
  get load(): number {
    return this.#waiting.size + (this.#present === undefined ? 0 : 1);
  }

  newId(): number {
    return ++this.#lastId;
  }

  /** Asks the thread, on behalf of whom the present work is for; who needs an order waits for one answer before the next. */
  ask(question: Question, id: number = this.newId()): Promise<Answer> {
    if (this.#ended) return Promise.reject(new WorkbookNotHeld('the thread that computes has ended'));
    const asked = {
      answered: Promise.withResolvers<Answer>(),
      id,
      whom: currentUser(),
      question,
      spentMs: 0,
    };
    this.#waiting.add(asked.whom, asked);
    if (this.#present !== undefined) this.#tellWaiting();
    else if (this.#expected === undefined || this.#expected === asked.whom) this.#askNext();
    return asked.answered.promise;
  }

  /** Has it forget something, before all that waits. */
  tell(question: Extract<Question, { kind: 'drop' | 'cancel' | 'enough' }>): void {
    this.#worker.postMessage({ ...question, id: this.newId() });
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
    if (this.#present !== undefined) this.#watch();
  }

  #askNext(): void {
    clearTimeout(this.#timer);
    this.#expected = undefined;
    this.#present = this.#waiting.take()?.item;
    this.#tellWaiting();
    if (this.#present === undefined) this.#worker.unref();
    else this.#post(this.#present);
  }

  #post({ question, id }: Asked): void {
    this.#watch();
    this.#worker.postMessage({ ...question, id });
  }

  #tellWaiting(): void {
    Atomics.store(this.#flag, 0, this.#limits.givesWay ? this.#waiting.size : 0);
  }

  #watch(): void {
    this.#worker.ref();
    this.#startedAt = performance.now();
    if (!this.#isLoaded) return;
    this.#timer = setTimeout(() => {
      this.#end(new CalculationStopped('the calculation takes too long'));
      void this.#worker.terminate();
    }, this.#limits.answerMs);
  }

  #answer(answer: Answer): void {
    const asked = this.#present;
    if (asked === undefined || answer.id !== asked.id) return;
    clearTimeout(this.#timer);
    const spentMs = performance.now() - this.#startedAt;
    this.#limits.usage.add(asked.whom, spentMs);
    asked.spentMs += spentMs;
    if (answer.isGone) asked.answered.reject(new WorkbookNotHeld('the workbook had to make room'));
    else if (answer.gaveWay === 'progressed') this.#waiting.add(asked.whom, continued(asked, spentMs));
    else asked.answered.resolve({ ...answer, spentMs: asked.spentMs });
    this.#present = undefined;
    if (isFollowed(asked.question) && this.#waiting.size > 0) this.#expect(asked.whom);
    else this.#askNext();
  }

  #expect(whom: string): void {
    this.#expected = whom;
    this.#timer = setTimeout(() => this.#askNext(), NEXT_OF_SAME_MS);
  }

  /** The question that the thread was at has ended it; those that wait behind it have done nothing. */
  #end(why: CalculationStopped, others: CalculationStopped = new WorkbookNotHeld(why.message)): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#onEnd();
    this.#present?.answered.reject(why);
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) {
      next.item.answered.reject(others);
    }
  }
}

/** A question that gave way, with what is left of its time; its cells are there. */
function continued(asked: Asked, spentMs: number): Asked {
  const { question } = asked;
  if (question.kind === 'read') asked.question = { ...question, forMs: question.forMs - spentMs };
  if (question.kind === 'cells') asked.question = { ...question, cells: [] };
  return asked;
}

function isFollowed({ kind }: Question): boolean {
  return kind !== 'read' && kind !== 'more';
}
