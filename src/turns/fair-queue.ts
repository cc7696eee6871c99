import { Usage } from './usage.ts';

/** Too much work is waiting, of one user or in total. */
export class TooManyWaiting extends Error {}

/** How many items may wait. */
export interface QueueLimits {
  readonly each: number;
  readonly all: number;
}

/** For callers whose requests wait in any case, in this queue or elsewhere. */
export const UNBOUNDED: QueueLimits = { each: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY };

const DEFAULT_LIMITS: QueueLimits = { each: 100, all: 1_000 };

/** A waiting item, its user, and its estimated duration. */
interface Waiting<Item> {
  readonly user: string;
  readonly item: Item;
  readonly costMs: number;
}

/**
 * The user with the least recent usage comes first, and the oldest item of each user. However much other users ask for,
 * in whatever number of requests, nobody waits for more than one item of each of them.
 */
export class FairQueue<Item> {
  readonly #queues = new Map<string, Waiting<Item>[]>();
  readonly #usage: Usage;
  readonly #limits: QueueLimits;
  #size = 0;

  /** Several queues may share a usage; the caller adds to it the time that an item took. */
  constructor(limits: QueueLimits = DEFAULT_LIMITS, usage: Usage = new Usage()) {
    this.#limits = limits;
    this.#usage = usage;
  }

  get size(): number {
    return this.#size;
  }

  /** Throws TooManyWaiting. `costMs` is an estimate, which lets small items go before large ones. */
  add(user: string, item: Item, costMs = 0): void {
    const queue = this.#queues.get(user) ?? [];
    if (queue.length >= this.#limits.each || this.#size >= this.#limits.all) {
      throw new TooManyWaiting('too much work waits already');
    }
    queue.push({ user, item, costMs });
    this.#queues.set(user, queue);
    this.#size++;
  }

  /** The next item, of the users that may have a turn; undefined if none of them has an item waiting. */
  take(mayHave: (user: string) => boolean = () => true): { user: string; item: Item } | undefined {
    const queue = this.#nextQueue(mayHave);
    const next = queue?.shift();
    if (next === undefined) return undefined;
    this.#size--;
    // Behind other users with the same usage.
    this.#queues.delete(next.user);
    if (queue !== undefined && queue.length > 0) this.#queues.set(next.user, queue);
    return next;
  }

  /** Whether an item of another user waits. */
  hasOthersThan(user: string): boolean {
    return this.#queues.size > (this.#queues.has(user) ? 1 : 0);
  }

  #nextQueue(mayHave: (user: string) => boolean): Waiting<Item>[] | undefined {
    let least = Number.POSITIVE_INFINITY;
    let next: Waiting<Item>[] | undefined;
    const now = performance.now();
    for (const [user, queue] of this.#queues) {
      if (!mayHave(user)) continue;
      const ms = this.#usage.of(user, now) + (queue[0]?.costMs ?? 0);
      if (ms >= least) continue;
      least = ms;
      next = queue;
    }
    return next;
  }
}
