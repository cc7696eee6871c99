import type { Usage } from './usage.ts';

/** A binary heap: takes the first item by an order in logarithmic time. */
export class Heap<Item> {
  readonly #isBefore: (a: Item, b: Item) => boolean;
  /** Heap order: no item comes before its parent. */
  readonly #items: Item[] = [];

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  /** Adds an item. The properties that decide its order must not change while it is in the heap. */
  put(item: Item): void {
    let at = this.#items.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = this.#items[above] as Item;
      if (!this.#isBefore(item, other)) break;
      this.#items[at] = other;
      at = above;
    }
    this.#items[at] = item;
  }

  /** Removes and returns the first item. */
  take(): Item | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#sink(last);
    return first;
  }

  #sink(item: Item): void {
    let at = 0;
    for (;;) {
      const below = this.#firstBelow(at);
      const other = this.#items[below];
      if (other === undefined || !this.#isBefore(other, item)) break;
      this.#items[at] = other;
      at = below;
    }
    this.#items[at] = item;
  }

  #firstBelow(at: number): number {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    if (right >= this.#items.length) return left;
    return this.#isBefore(this.#items[right] as Item, this.#items[left] as Item) ? right : left;
  }
}

/** The waiting items of one user. */
interface UserQueue<Item> {
  readonly user: string;
  readonly items: Item[];
  /** Orders users with the same rank: the user whose last turn was longest ago comes first. */
  turn: number;
  /** The rank from the usage when the queue was put into the heap; it may have grown since. */
  rank: number;
}

/**
 * As FairQueue, but for short work of possibly thousands of users: it finds the next item in logarithmic time instead
 * of scanning all users. Any number of items may wait.
 */
export class ShortTurns<Item> {
  readonly #usage: Usage;
  readonly #queues = new Map<string, UserQueue<Item>>();
  readonly #order = new Heap<UserQueue<Item>>(
    (a, b) => a.rank < b.rank || (a.rank === b.rank && a.turn < b.turn),
  );
  #turns = 0;
  #size = 0;

  /** The caller adds to `usage` the time that an item took. */
  constructor(usage: Usage) {
    this.#usage = usage;
  }

  get size(): number {
    return this.#size;
  }

  add(user: string, item: Item): void {
    this.#size++;
    const queue = this.#queues.get(user);
    if (queue) {
      queue.items.push(item);
    } else {
      const first = { user, items: [item], turn: this.#turns++, rank: this.#usage.rankOf(user) };
      this.#queues.set(user, first);
      this.#order.put(first);
    }
  }

  /** The oldest item of the user with the least usage. */
  take(): Item | undefined {
    const queue = this.#nextQueue();
    const item = queue?.items.shift();
    if (queue === undefined || item === undefined) return undefined;
    this.#size--;
    if (queue.items.length === 0) {
      this.#queues.delete(queue.user);
    } else {
      queue.turn = this.#turns++;
      this.#order.put(queue);
    }
    return item;
  }

  #nextQueue(): UserQueue<Item> | undefined {
    for (;;) {
      const queue = this.#order.take();
      const rank = queue === undefined ? 0 : this.#usage.rankOf(queue.user);
      if (queue === undefined || rank <= queue.rank) return queue;
      queue.rank = rank;
      this.#order.put(queue);
    }
  }
}
