interface Version {
  readonly tables: readonly string[];
  readonly number: number;
}

/** Version numbers of sets of tables, which change with their rows. */
export class TableVersions {
  readonly #versions = new Map<string, Version>();
  #others: unknown;
  #latest = 0;

  /** The same number as long as none of the tables was changed; `others`: the version of commits of other processes. */
  of(tables: readonly string[], others: unknown): number {
    if (others !== this.#others) this.#versions.clear();
    this.#others = others;
    const key = tables.join();
    const version = this.#versions.get(key) ?? { tables, number: ++this.#latest };
    this.#versions.set(key, version);
    return version.number;
  }

  /** Must be called after each commit, once its changes are visible. */
  noteChanges(changed: ReadonlySet<string>): void {
    for (const [key, { tables }] of this.#versions) {
      if (tables.some((table) => changed.has(table))) this.#versions.delete(key);
    }
  }
}
