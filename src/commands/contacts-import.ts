import { createReadStream } from 'node:fs';
import type { ContactsOwner, ImportedContact } from '../areas/contacts/service.ts';
import type { Product } from '../product.ts';
import { reasonOf } from './mail-source.ts';
import { ProgressLine } from './progress-line.ts';

/** What an import has done; a file that cannot be read has no index. */
export interface ContactsReport {
  created: number;
  updated: number;
  skipped: { source: string; index?: number; reason: string }[];
}

/** Contacts that one transaction keeps. */
const KEPT_AT_ONCE = 2_000;

/** One run of an import into an address book, of files of any size; stopped in the middle, another run goes on. */
export class ContactsImport {
  readonly #product: Product;
  readonly #owner: ContactsOwner;
  readonly #bookId: string;
  readonly #report: ContactsReport = { created: 0, updated: 0, skipped: [] };

  constructor(product: Product, owner: ContactsOwner, bookId: string) {
    this.#product = product;
    this.#owner = owner;
    this.#bookId = bookId;
  }

  /** Imports the vCards of these files. Rejects when the storage fails. */
  async run(paths: readonly string[]): Promise<ContactsReport> {
    const line = new ProgressLine(() => this.#progress());
    try {
      for (const path of paths) await this.#take(path);
    } finally {
      line.end();
    }
    return this.#report;
  }

  #progress(): string {
    const { created, updated, skipped } = this.#report;
    return `${created} created, ${updated} updated, ${skipped.length} skipped`;
  }

  async #take(path: string): Promise<void> {
    let contacts: ImportedContact[] = [];
    for await (const read of this.#product.contacts.readContacts(this.#readable(path))) {
      if ('reason' in read) this.#report.skipped.push({ source: path, ...read });
      else contacts.push(read);
      if (contacts.length < KEPT_AT_ONCE) continue;
      await this.#keep(contacts);
      contacts = [];
    }
    await this.#keep(contacts);
  }

  /** The bytes of a file, as far as it can be read. */
  async *#readable(path: string): AsyncGenerator<Uint8Array> {
    const stream = createReadStream(path);
    const chunks = stream.iterator();
    try {
      for (;;) {
        const next = await chunks.next().catch((error) => ({ done: true, value: undefined, error }));
        if ('error' in next) this.#report.skipped.push({ source: path, reason: reasonOf(next.error) });
        if (next.done) return;
        yield next.value;
      }
    } finally {
      stream.destroy();
    }
  }

  async #keep(contacts: readonly ImportedContact[]): Promise<void> {
    if (contacts.length === 0) return;
    const { database, contacts: service } = this.#product;
    const counts = await database.write((tx) =>
      service.importContacts(tx, this.#owner, this.#bookId, contacts),
    );
    this.#report.created += counts.created;
    this.#report.updated += counts.updated;
  }
}
