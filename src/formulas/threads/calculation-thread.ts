import { Worker } from 'node:worker_threads';
import { currentUser } from '../../turns/current-user.ts';
import { FairQueue } from '../../turns/fair-queue.ts';
import type { Usage } from '../../turns/usage.ts';
import { CalculationStopped, WorkbookNotHeld } from '../calculation.ts';
import type { CalculationReply, CalculationRequest, ThreadData } from './messages.ts';

interface PendingRequest {
  readonly reply: PromiseWithResolvers<CalculationReply>;
  readonly id: number;
  readonly user: string;
  request: CalculationRequest;
  /** The total time of its turns so far. */
  spentMs: number;
}

/** The limits of a thread, and the usage that its time is charged to. */
export interface ThreadLimits {
  readonly replyTimeoutMs: number;
  readonly heapMegabytes: number;
  readonly usage: Usage;
  /** Whether a calculation yields to others that wait. */
  readonly givesWay: boolean;
}

/** Young-generation limit of one worker; without it V8 sizes it by the machine. */
const YOUNG_MEGABYTES = 64;
const STACK_MEGABYTES = 8;

/**
 * Opening a workbook takes several requests in sequence. After each one the thread waits this long for the next
 * request of the same user: a user with little usage would otherwise wait for a turn with each request.
 */
const FOLLOW_UP_MS = 2;

/** Unlimited: HTTP limits bound the requests, and a request in progress must not be refused. */
const WAITING = { each: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY };

/**
 * One calculation thread; serves users with the least usage first. A request without a timely reply ends the
 * thread with all its workbooks.
 */
export class CalculationThread {
  readonly #worker: Worker;
  readonly #waiting: FairQueue<PendingRequest>;
  readonly #limits: ThreadLimits;
  readonly #onEnd: () => void;
  readonly #flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #current: PendingRequest | undefined;
  #startedAt = 0;
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The user whose follow-up request is awaited. */
  #awaitedUser: string | undefined;
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
    this.#worker.once('message', () => this.#onLoaded());
    this.#worker.on('error', (cause) =>
      this.#end(new CalculationStopped('the calculation has failed', { cause })),
    );
    this.#worker.on('exit', () => this.#end(new CalculationStopped('the thread that computes has ended')));
  }

  /** The number of its requests. */
  get load(): number {
    return this.#waiting.size + (this.#current === undefined ? 0 : 1);
  }

  newId(): number {
    return ++this.#lastId;
  }

  /** Sends a request on behalf of the current user. For sequential requests, await each reply. */
  ask(request: CalculationRequest, id: number = this.newId()): Promise<CalculationReply> {
    if (this.#ended) return Promise.reject(new WorkbookNotHeld('the thread that computes has ended'));
    const pending = {
      reply: Promise.withResolvers<CalculationReply>(),
      id,
      user: currentUser(),
      request,
      spentMs: 0,
    };
    this.#waiting.add(pending.user, pending);
    if (this.#current !== undefined) this.#updateFlag();
    else if (this.#awaitedUser === undefined || this.#awaitedUser === pending.user) this.#startNext();
    return pending.reply.promise;
  }

  /** Makes the thread forget something, ahead of all queued requests. */
  tell(request: Extract<CalculationRequest, { kind: 'drop' | 'cancel' | 'enough' }>): void {
    this.#worker.postMessage({ ...request, id: this.newId() });
  }

  end(): Promise<unknown> {
    const closed = new CalculationStopped('the calculation is closed');
    this.#end(closed, closed);
    return this.#worker.terminate();
  }

  /** The timeout starts now: on a busy machine loading alone can take long. */
  #onLoaded(): void {
    this.#isLoaded = true;
    this.#worker.on('message', (reply: CalculationReply) => this.#onReply(reply));
    if (this.#current !== undefined) this.#startTimer();
  }

  #startNext(): void {
    clearTimeout(this.#timer);
    this.#awaitedUser = undefined;
    this.#current = this.#waiting.take()?.item;
    this.#updateFlag();
    if (this.#current === undefined) this.#worker.unref();
    else this.#post(this.#current);
  }

  #post({ request, id }: PendingRequest): void {
    this.#startTimer();
    this.#worker.postMessage({ ...request, id });
  }

  #updateFlag(): void {
    Atomics.store(this.#flag, 0, this.#limits.givesWay ? this.#waiting.size : 0);
  }

  #startTimer(): void {
    this.#worker.ref();
    this.#startedAt = performance.now();
    if (!this.#isLoaded) return;
    this.#timer = setTimeout(() => {
      this.#end(new CalculationStopped('the calculation takes too long'));
      void this.#worker.terminate();
    }, this.#limits.replyTimeoutMs);
  }

  #onReply(reply: CalculationReply): void {
    const pending = this.#current;
    if (pending === undefined || reply.id !== pending.id) return;
    clearTimeout(this.#timer);
    const spentMs = performance.now() - this.#startedAt;
    this.#limits.usage.add(pending.user, spentMs);
    pending.spentMs += spentMs;
    if (reply.isGone) pending.reply.reject(new WorkbookNotHeld('the workbook had to make room'));
    else if (reply.gaveWay === 'progressed')
      this.#waiting.add(pending.user, withRemainingTime(pending, spentMs));
    else pending.reply.resolve({ ...reply, spentMs: pending.spentMs });
    this.#current = undefined;
    if (hasFollowUp(pending.request) && this.#waiting.size > 0) this.#awaitNext(pending.user);
    else this.#startNext();
  }

  #awaitNext(user: string): void {
    this.#awaitedUser = user;
    this.#timer = setTimeout(() => this.#startNext(), FOLLOW_UP_MS);
  }

  /** Ends the thread. The current request gets the reason; the queued ones were not started. */
  #end(why: CalculationStopped, others: CalculationStopped = new WorkbookNotHeld(why.message)): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#onEnd();
    this.#current?.reply.reject(why);
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) {
      next.item.reply.reject(others);
    }
  }
}

/** A request that yielded, with its remaining time; its cells are already in the thread. */
function withRemainingTime(pending: PendingRequest, spentMs: number): PendingRequest {
  const { request } = pending;
  if (request.kind === 'read') pending.request = { ...request, forMs: request.forMs - spentMs };
  if (request.kind === 'cells') pending.request = { ...request, cells: [] };
  return pending;
}

function hasFollowUp({ kind }: CalculationRequest): boolean {
  return kind !== 'read' && kind !== 'more';
}
