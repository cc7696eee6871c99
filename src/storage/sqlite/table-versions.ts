interface Version {
  readonly tables: readonly string[];
  readonly number: number;
}

/** Shared by all databases of the process, so that a number is one of one database. */
let latest = 0;

/** Version numbers of sets of tables, which change with their rows. */
export class TableVersions {
  readonly #versions = new Map<string, Version>();
  #others: unknown;

  /** The same number as long as none of the tables was changed; `others`: the version of commits of other processes. */
  of(tables: readonly string[], others: unknown): number {
    if (others !== this.#others) this.#versions.clear();
    this.#others = others;
    const key = tables.join();
    const version = this.#versions.get(key) ?? { tables, number: ++latest };
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
