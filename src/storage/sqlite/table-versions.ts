import type { Snapshot } from '../database.ts';

interface Version {
  readonly tables: readonly string[];
  readonly snapshot: Snapshot;
}

/** Knows since when nobody has changed the rows of some tables. */
export class TableVersions {
  readonly #versions = new Map<string, Version>();
  #others: unknown;

  /** The same object for as long as none of the tables was changed; `others`: as what other processes do is numbered. */
  of(tables: readonly string[], others: unknown): Snapshot {
    if (others !== this.#others) this.#versions.clear();
    this.#others = others;
    const key = tables.join();
    const version = this.#versions.get(key) ?? { tables, snapshot: {} };
    this.#versions.set(key, version);
    return version.snapshot;
  }

  /** To be told when changes can be seen, of each commit. */
  changed(changed: ReadonlySet<string>): void {
    for (const [key, { tables }] of this.#versions) {
      if (tables.some((table) => changed.has(table))) this.#versions.delete(key);
    }
  }
}
