/** One page of a listing. */
export interface Page<T> {
  items: T[];
  /** The cursor for a later call; "" on the last page. */
  nextCursor: string;
  hasMore: boolean;
}

/** A listing. Pages are requested while it is read, again for each reader: `for await (const item of pages)`. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #page: (cursor: string | undefined) => Promise<Page<T>>;

  /** `page` requests the first page without a cursor. */
  constructor(page: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#page = page;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** Iterates over pages. */
  async *pages(): AsyncGenerator<Page<T>, void> {
    let page = await this.#page(undefined);
    yield page;
    while (page.hasMore) {
      page = await this.#page(page.nextCursor);
      yield page;
    }
  }

  /** The first page, or the page at the cursor of the query. */
  first(): Promise<Page<T>> {
    return this.#page(undefined);
  }

  /** All items, in memory. */
  async all(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}
