const MOST_NAMES = 300;

/**
 * Which SQL texts PostgreSQL is to keep prepared: those that come a second time, up to a bound, because each costs
 * memory on every connection of the server. Texts beyond it work all the same.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #seenOnce = new Set<string>();

  /** The name to prepare a text under; undefined = not to be kept. */
  nameOf(sql: string): string | undefined {
    const name = this.#names.get(sql);
    if (name !== undefined || this.#names.size >= MOST_NAMES) return name;
    if (this.#seenOnce.delete(sql)) return this.#keep(sql);
    if (this.#seenOnce.size >= MOST_NAMES) this.#seenOnce.clear();
    this.#seenOnce.add(sql);
    return undefined;
  }

  #keep(sql: string): string {
    const name = `atrium_${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return name;
  }
}
