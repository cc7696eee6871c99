import { currentUser } from './current-user.ts';
import { FairQueue, type QueueLimits } from './fair-queue.ts';
import { Usage } from './usage.ts';

/** How many may be inside at the same time: in total, and per user. */
export interface Slots {
  readonly all: number;
  readonly each: number;
}

/** Limits concurrency fairly: of the waiting users, the one with the least recent use of the gate enters first. */
export class FairGate {
  readonly #slots: Slots;
  readonly #usage: Usage;
  readonly #waiting: FairQueue<PromiseWithResolvers<void>>;
  readonly #inside = new Map<string, number>();
  #count = 0;

  constructor(slots: Slots, limits?: QueueLimits, usage = new Usage()) {
    this.#slots = slots;
    this.#usage = usage;
    this.#waiting = new FairQueue(limits, usage);
  }

  /** Runs work inside. Rejects with TooManyWaiting, and with the errors of the work. */
  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Waits to enter. Resolves with a function that leaves; further calls of it do nothing. Rejects with TooManyWaiting. */
  async enter(): Promise<() => void> {
    const user = currentUser();
    const entered = Promise.withResolvers<void>();
    this.#waiting.add(user, entered);
    this.#admit();
    await entered.promise;
    const startedAt = performance.now();
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#usage.add(user, performance.now() - startedAt);
      this.#count--;
      this.#inside.set(user, (this.#inside.get(user) ?? 1) - 1);
      if (this.#inside.get(user) === 0) this.#inside.delete(user);
      this.#admit();
    };
  }

  #admit(): void {
    while (this.#count < this.#slots.all) {
      const next = this.#waiting.take((user) => (this.#inside.get(user) ?? 0) < this.#slots.each);
      if (next === undefined) return;
      this.#count++;
      this.#inside.set(next.user, (this.#inside.get(next.user) ?? 0) + 1);
      next.item.resolve();
    }
  }
}
