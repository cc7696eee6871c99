import { currentUser } from './current-user.ts';
import { FairQueue, type QueueLimits } from './fair-queue.ts';
import { RequestWorker, type WorkerLimits } from './request-worker.ts';
import { Usage } from './usage.ts';

/** An idle worker ends after this time and frees its memory. */
const IDLE_MS = 30_000;

/** A request that runs longer than this is long. When others wait, it gives up the quick worker. */
const QUICK_MS = 400;

/** Requests of users above this recent usage go directly to the worker for long requests. */
const HEAVY_MS = 2_000;

/** A rough estimate of duration from size, enough to run small requests first. */
const BYTES_A_MS = 1_000;

/** The worker module, which replies to each message with one message, and its limits. */
export interface ThreadOptions extends WorkerLimits {
  /** How many requests may wait. */
  waiting?: QueueLimits;
}

interface PendingRequest<Request, Reply> {
  readonly user: string;
  readonly request: Request;
  readonly reply: PromiseWithResolvers<Reply>;
  readonly signal: AbortSignal | undefined;
  /** Assigned to the worker for long requests. */
  isLong: boolean;
}

/** A worker and its current request. */
interface Slot<Request, Reply> {
  readonly worker: RequestWorker<Request, Reply>;
  current: PendingRequest<Request, Reply> | undefined;
  /** The current request has run longer than QUICK_MS. */
  isLate: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Handles requests outside the event loop, in the order of their users' recent usage. Starts at most two workers,
 * on demand: one for quick requests, and one for requests that turned out to be long while others waited. So the
 * quick requests of other users proceed, however many long requests there are.
 */
export class Thread<Request, Reply> {
  readonly #options: ThreadOptions;
  readonly #usage = new Usage();
  readonly #quick: FairQueue<PendingRequest<Request, Reply>>;
  readonly #long: FairQueue<PendingRequest<Request, Reply>>;
  #quickSlot: Slot<Request, Reply> | undefined;
  #longSlot: Slot<Request, Reply> | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#quick = new FairQueue(options.waiting, this.#usage);
    this.#long = new FairQueue(options.waiting, this.#usage);
  }

  /**
   * Sends a request on behalf of the current user; `size` is its size in bytes. Rejects after a timeout, on lack
   * of memory, when the signal aborts, and with TooManyWaiting; other requests are not affected.
   */
  async ask(request: Request, size = 0, signal?: AbortSignal): Promise<Reply> {
    signal?.throwIfAborted();
    const user = currentUser();
    const isLong = this.#usage.of(user) > HEAVY_MS && this.#hasLongWorker();
    const pending = { user, request, reply: Promise.withResolvers<Reply>(), signal, isLong };
    (isLong ? this.#long : this.#quick).add(user, pending, size / BYTES_A_MS);
    this.#startNext();
    if (this.#quickSlot?.isLate) this.#releaseQuickWorker(this.#quickSlot);
    const giveUp = () => this.#giveUp(pending);
    signal?.addEventListener('abort', giveUp);
    try {
      return await pending.reply.promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /**
   * Whether there is a worker for long requests. While it is being loaded, which takes longer than most requests, the other
   * one takes them too.
   */
  #hasLongWorker(): boolean {
    if (this.#longSlot?.worker.hasEnded) this.#forget(this.#longSlot);
    if (this.#longSlot) return this.#longSlot.worker.isLoaded;
    this.#longSlot = this.#start();
    this.#release(this.#longSlot);
    return false;
  }

  /** Ends the worker that runs an aborted request; one that still waits does not run. */
  #giveUp(pending: PendingRequest<Request, Reply>): void {
    const slot = [this.#quickSlot, this.#longSlot].find((found) => found?.current === pending);
    slot?.worker.end(new Error('the request was aborted'));
    pending.reply.reject(pending.signal?.reason);
  }

  /** Ends the workers; their requests fail. */
  close(): void {
    for (const slot of [this.#quickSlot, this.#longSlot]) if (slot) this.#endIdle(slot);
  }

  /** Gives each free slot its next request. */
  #startNext(): void {
    for (const slot of [this.#quickSlot, this.#longSlot]) {
      if (slot?.current === undefined && slot?.worker.hasEnded) this.#forget(slot);
    }
    if (this.#quick.size > 0 && this.#quickSlot?.current === undefined) {
      this.#quickSlot ??= this.#start();
      this.#assign(this.#quickSlot, this.#quick);
    }
    if (this.#long.size > 0 && this.#longSlot?.current === undefined) {
      this.#longSlot ??= this.#start();
      this.#assign(this.#longSlot, this.#long);
    }
  }

  #start(): Slot<Request, Reply> {
    return { worker: new RequestWorker(this.#options), current: undefined, isLate: false, timer: undefined };
  }

  #assign(slot: Slot<Request, Reply>, queue: FairQueue<PendingRequest<Request, Reply>>): void {
    let pending = queue.take()?.item;
    while (pending?.signal?.aborted) pending = queue.take()?.item;
    clearTimeout(slot.timer);
    if (pending === undefined) {
      this.#release(slot);
      return;
    }
    slot.current = pending;
    slot.isLate = false;
    void this.#run(slot, pending);
  }

  async #run(slot: Slot<Request, Reply>, pending: PendingRequest<Request, Reply>): Promise<void> {
    const { worker } = slot;
    let startedAt = performance.now();
    void worker.loaded.then(() => {
      if (slot.current !== pending) return;
      startedAt = performance.now();
      slot.timer = setTimeout(() => this.#markLate(slot), QUICK_MS).unref();
    });
    try {
      pending.reply.resolve(await worker.ask(pending.request));
    } catch (cause) {
      if (!pending.isLong || slot === this.#longSlot) pending.reply.reject(cause);
    }
    clearTimeout(slot.timer);
    this.#usage.add(pending.user, performance.now() - startedAt);
    slot.current = undefined;
    this.#release(slot);
    this.#startNext();
  }

  #markLate(slot: Slot<Request, Reply>): void {
    slot.isLate = true;
    this.#releaseQuickWorker(slot);
  }

  /**
   * Others wait for the quick worker while it runs a long request. It becomes the worker for long requests, and an
   * idle or new worker becomes the quick one. If the worker for long requests is busy, the request is queued for it
   * and restarts there.
   */
  #releaseQuickWorker(slot: Slot<Request, Reply>): void {
    const { current: pending } = slot;
    if (slot !== this.#quickSlot || pending === undefined || !this.#quick.hasOthersThan(pending.user)) return;
    if (this.#longSlot?.current === undefined) {
      this.#quickSlot = this.#longSlot;
      this.#longSlot = slot;
    } else {
      this.#quickSlot = undefined;
      this.#requeue(slot, pending);
    }
    this.#startNext();
  }

  #requeue({ worker }: Slot<Request, Reply>, pending: PendingRequest<Request, Reply>): void {
    try {
      this.#long.add(pending.user, pending);
      pending.isLong = true;
    } catch (tooMany) {
      pending.reply.reject(tooMany);
    }
    worker.end(new Error('others waited'));
  }

  /** Handles a slot without a request: forgets an ended worker, starts the idle timer of another. */
  #release(slot: Slot<Request, Reply>): void {
    if (slot.worker.hasEnded) this.#forget(slot);
    else slot.timer = setTimeout(() => this.#endIdle(slot), IDLE_MS).unref();
  }

  #endIdle(slot: Slot<Request, Reply>): void {
    this.#forget(slot);
    slot.worker.end(new Error('there was no work'));
  }

  #forget(slot: Slot<Request, Reply>): void {
    clearTimeout(slot.timer);
    if (this.#quickSlot === slot) this.#quickSlot = undefined;
    if (this.#longSlot === slot) this.#longSlot = undefined;
  }
}
