/** One page of a listing. */
export interface Page<T> {
  items: T[];
  /** Goes into the query of a later call; "" where no page follows. */
  nextCursor: string;
  hasMore: boolean;
}

/** A listing. It is asked for as it is read, anew by each reader: `for await (const item of pages)`. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #page: (cursor: string | undefined) => Promise<Page<T>>;

  /** `page` answers the first page for no cursor. */
  constructor(page: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#page = page;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** Page by page. */
  async *pages(): AsyncGenerator<Page<T>, void> {
    let page = await this.#page(undefined);
    yield page;
    while (page.hasMore) {
      page = await this.#page(page.nextCursor);
      yield page;
    }
  }

  /** The first page, from the cursor of the query where it has one. */
  first(): Promise<Page<T>> {
    return this.#page(undefined);
  }

  /** Everything, in memory. */
  async all(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}
