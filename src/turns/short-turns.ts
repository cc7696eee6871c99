import type { Usage } from './usage.ts';

/** Answers first what comes before all others that are in it; putting in and taking out take a few steps however many there are. */
export class Heap<Item> {
  readonly #isBefore: (a: Item, b: Item) => boolean;
  /** None comes before the one at half of its place. */
  readonly #items: Item[] = [];

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  /** Puts an item in; what decides its order must not change while it is there. */
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

  /** Takes the first item out. */
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

/** What waits for one of those who take turns. */
interface Line<Item> {
  readonly whom: string;
  readonly items: Item[];
  /** Of those who have used as little, who has not had a turn for longer is before. */
  turn: number;
  /** As the usage said when the line was put into the order; it may have grown since. */
  rank: number;
}

/**
 * As a FairQueue, for works that are short and may be of thousands: whose turn is next takes a few steps, not a look at
 * each who waits. Any number may wait.
 */
export class ShortTurns<Item> {
  readonly #usage: Usage;
  readonly #lines = new Map<string, Line<Item>>();
  readonly #order = new Heap<Line<Item>>((a, b) => a.rank < b.rank || (a.rank === b.rank && a.turn < b.turn));
  #turns = 0;
  #size = 0;

  /** Who takes an item counts there what it took. */
  constructor(usage: Usage) {
    this.#usage = usage;
  }

  get size(): number {
    return this.#size;
  }

  add(whom: string, item: Item): void {
    this.#size++;
    const line = this.#lines.get(whom);
    if (line) {
      line.items.push(item);
    } else {
      const first = { whom, items: [item], turn: this.#turns++, rank: this.#usage.rankOf(whom) };
      this.#lines.set(whom, first);
      this.#order.put(first);
    }
  }

  /** The oldest item of who has used the least. */
  take(): Item | undefined {
    const line = this.#nextLine();
    const item = line?.items.shift();
    if (line === undefined || item === undefined) return undefined;
    this.#size--;
    if (line.items.length === 0) {
      this.#lines.delete(line.whom);
    } else {
      line.turn = this.#turns++;
      this.#order.put(line);
    }
    return item;
  }

  #nextLine(): Line<Item> | undefined {
    for (;;) {
      const line = this.#order.take();
      const rank = line === undefined ? 0 : this.#usage.rankOf(line.whom);
      if (line === undefined || rank <= line.rank) return line;
      line.rank = rank;
      this.#order.put(line);
    }
  }
}
