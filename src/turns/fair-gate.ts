import { FairQueue, type Room } from './fair-queue.ts';
import { forWhom } from './for-whom.ts';
import { Usage } from './usage.ts';

/** How many may be inside at a time, in all and of one. */
export interface Places {
  readonly all: number;
  readonly each: number;
}

/** Lets in whose turn it is, on behalf of whom the present work is for: those first who were inside the least of late. */
export class FairGate {
  readonly #places: Places;
  readonly #usage: Usage;
  readonly #waiting: FairQueue<PromiseWithResolvers<void>>;
  readonly #inside = new Map<string, number>();
  #count = 0;

  constructor(places: Places, room?: Room, usage = new Usage()) {
    this.#places = places;
    this.#usage = usage;
    this.#waiting = new FairQueue(room, usage);
  }

  /** Does a work inside. Rejects with TooManyWaiting, and as the work does. */
  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves, inside, with what says, once, that it is over. Rejects with TooManyWaiting. */
  async enter(): Promise<() => void> {
    const whom = forWhom();
    const entered = Promise.withResolvers<void>();
    this.#waiting.add(whom, entered);
    this.#admit();
    await entered.promise;
    const startedAt = performance.now();
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#usage.add(whom, performance.now() - startedAt);
      this.#count--;
      this.#inside.set(whom, (this.#inside.get(whom) ?? 1) - 1);
      if (this.#inside.get(whom) === 0) this.#inside.delete(whom);
      this.#admit();
    };
  }

  #admit(): void {
    while (this.#count < this.#places.all) {
      const next = this.#waiting.take((whom) => (this.#inside.get(whom) ?? 0) < this.#places.each);
      if (next === undefined) return;
      this.#count++;
      this.#inside.set(next.whom, (this.#inside.get(next.whom) ?? 0) + 1);
      next.item.resolve();
    }
  }
}
