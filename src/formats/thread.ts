import { currentUser } from '../turns/current-user.ts';
import { FairQueue, type QueueLimits } from '../turns/fair-queue.ts';
import { Usage } from '../turns/usage.ts';
import { AnsweringWorker, type WorkerMeasure } from './answering-worker.ts';

/** A worker ends after this long without work, and gives its memory back. */
const IDLE_MS = 30_000;

/** Work that takes longer than this is long: where others wait it leaves them the quick worker. */
const QUICK_MS = 400;

/** Who has used so much of late has long work to do: it waits for the worker that is for long work from the beginning. */
const HEAVY_MS = 2_000;

/** What questions of so many bytes take is not known; it is enough to let small ones go first. */
const BYTES_A_MS = 1_000;

/** A module that answers each message that it is sent with one, and what it may take. */
export interface ThreadOptions extends WorkerMeasure {
  /** How many questions may wait. */
  waiting?: QueueLimits;
}

interface Asked<Question, Answer> {
  readonly whom: string;
  readonly question: Question;
  readonly answer: PromiseWithResolvers<Answer>;
  /** It is for the worker for long work. */
  isLong: boolean;
}

/** A worker, and what it does now. */
interface Place<Question, Answer> {
  readonly worker: AnsweringWorker<Question, Answer>;
  work: Asked<Question, Answer> | undefined;
  /** Its work has taken longer than quick work does. */
  isLate: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Has questions answered beside the event loop, in the order of what those who ask have used of late. There are two workers
 * at most, each started when it is needed: one for quick work, and one for work that has turned out to be long while others
 * waited. So however many ask for what takes long, and however often, it is quick work of others that goes on.
 */
export class Thread<Question, Answer> {
  readonly #options: ThreadOptions;
  readonly #usage = new Usage();
  readonly #quick: FairQueue<Asked<Question, Answer>>;
  readonly #long: FairQueue<Asked<Question, Answer>>;
  #quickPlace: Place<Question, Answer> | undefined;
  #longPlace: Place<Question, Answer> | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#quick = new FairQueue(options.waiting, this.#usage);
    this.#long = new FairQueue(options.waiting, this.#usage);
  }

  /**
   * Asks on behalf of whom the present work is for; `size` is that of the question, in bytes. Rejects when there is no
   * answer in time or memory, and with TooManyWaiting; others are answered all the same.
   */
  async ask(question: Question, size = 0): Promise<Answer> {
    const whom = currentUser();
    const isLong = this.#usage.of(whom) > HEAVY_MS;
    const asked = { whom, question, answer: Promise.withResolvers<Answer>(), isLong };
    (isLong ? this.#long : this.#quick).add(whom, asked, size / BYTES_A_MS);
    this.#begin();
    if (this.#quickPlace?.isLate) this.#giveWay(this.#quickPlace);
    return asked.answer.promise;
  }

  /** Gives each place that is free its next work. */
  #begin(): void {
    for (const place of [this.#quickPlace, this.#longPlace]) {
      if (place?.work === undefined && place?.worker.hasEnded) this.#forget(place);
    }
    if (this.#quick.size > 0 && this.#quickPlace?.work === undefined) {
      this.#quickPlace ??= this.#start();
      this.#work(this.#quickPlace, this.#quick);
    }
    if (this.#long.size > 0 && this.#longPlace?.work === undefined) {
      this.#longPlace ??= this.#start();
      this.#work(this.#longPlace, this.#long);
    }
  }

  #start(): Place<Question, Answer> {
    return { worker: new AnsweringWorker(this.#options), work: undefined, isLate: false, timer: undefined };
  }

  #work(place: Place<Question, Answer>, queue: FairQueue<Asked<Question, Answer>>): void {
    const asked = queue.take()?.item;
    if (asked === undefined) return;
    clearTimeout(place.timer);
    place.work = asked;
    place.isLate = false;
    void this.#answer(place, asked);
  }

  async #answer(place: Place<Question, Answer>, asked: Asked<Question, Answer>): Promise<void> {
    const { worker } = place;
    let startedAt = performance.now();
    void worker.loaded.then(() => {
      if (place.work !== asked) return;
      startedAt = performance.now();
      place.timer = setTimeout(() => this.#late(place), QUICK_MS).unref();
    });
    try {
      asked.answer.resolve(await worker.ask(asked.question));
    } catch (cause) {
      if (!asked.isLong || place === this.#longPlace) asked.answer.reject(cause);
    }
    clearTimeout(place.timer);
    this.#usage.add(asked.whom, performance.now() - startedAt);
    place.work = undefined;
    this.#rest(place);
    this.#begin();
  }

  #late(place: Place<Question, Answer>): void {
    place.isLate = true;
    this.#giveWay(place);
  }

  /**
   * Others wait for the quick worker, and it is at long work: it goes on beside them as the worker for long work. Where
   * that one has work already, this work begins anew there when its turn comes.
   */
  #giveWay(place: Place<Question, Answer>): void {
    const { work } = place;
    if (place !== this.#quickPlace || work === undefined || !this.#quick.hasOthersThan(work.whom)) return;
    if (this.#longPlace?.work === undefined) {
      this.#quickPlace = this.#longPlace;
      this.#longPlace = place;
    } else {
      this.#quickPlace = undefined;
      this.#putOff(place, work);
    }
    this.#begin();
  }

  #putOff({ worker }: Place<Question, Answer>, work: Asked<Question, Answer>): void {
    try {
      this.#long.add(work.whom, work);
      work.isLong = true;
    } catch (tooMany) {
      work.answer.reject(tooMany);
    }
    worker.end(new Error('others waited'));
  }

  /** A worker without work: one that has ended is forgotten, another waits for more. */
  #rest(place: Place<Question, Answer>): void {
    if (place.worker.hasEnded) this.#forget(place);
    else place.timer = setTimeout(() => this.#endIdle(place), IDLE_MS).unref();
  }

  #endIdle(place: Place<Question, Answer>): void {
    this.#forget(place);
    place.worker.end(new Error('there was no work'));
  }

  #forget(place: Place<Question, Answer>): void {
    clearTimeout(place.timer);
    if (this.#quickPlace === place) this.#quickPlace = undefined;
    if (this.#longPlace === place) this.#longPlace = undefined;
  }
}
