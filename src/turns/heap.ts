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
