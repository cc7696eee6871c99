interface Version {
  readonly tables: readonly string[];
  readonly number: number;
}

/** Knows since when nobody has changed the rows of some tables. */
export class TableVersions {
  readonly #versions = new Map<string, Version>();
  #others: unknown;
  #latest = 0;

  /** The same number for as long as none of the tables was changed; `others`: as what other processes do is numbered. */
  of(tables: readonly string[], others: unknown): number {
    if (others !== this.#others) this.#versions.clear();
    this.#others = others;
    const key = tables.join();
    const version = this.#versions.get(key) ?? { tables, number: ++this.#latest };
    this.#versions.set(key, version);
    return version.number;
  }

  /** To be told when changes can be seen, of each commit. */
  changed(changed: ReadonlySet<string>): void {
    for (const [key, { tables }] of this.#versions) {
      if (tables.some((table) => changed.has(table))) this.#versions.delete(key);
    }
  }
}
