import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import type { ContactsOwner, ImportedContact } from '../../areas/contacts/service.ts';
import type { Services } from '../../start/composition.ts';
import { bookNamed, bookOption, userNamed } from '../lookups.ts';
import { show } from '../output.ts';
import { ProgressLine } from '../progress.ts';
import { withServices } from '../with-services.ts';
import { ImportTally, withAllOption } from './import-tally.ts';
import { filesIn, type NamedFile, reasonOf } from './named-files.ts';

export function addImportContacts(group: Command): void {
  const command = group
    .command('contacts')
    .description('Import contacts from vCard files of any size; the same UID updates')
    .argument('<user>', 'the id, e-mail address or alias of the user whose contacts they become')
    .argument('<path...>', 'vCard files, and directories of them')
    .addOption(bookOption());
  withAllOption(command).action(importContacts);
}

async function importContacts(
  user: string,
  paths: string[],
  { book, all }: { book?: string; all?: boolean },
  command: Command,
): Promise<void> {
  const tally = await withServices(async (services) => {
    const { owner, bookId } = await services.database.read(async (tx) => {
      const found = await userNamed(tx, services.directory, user);
      return { owner: found, bookId: (await bookNamed(tx, services.contacts, found, book)).id };
    });
    return new ContactsImport(services, owner, bookId).run(paths);
  });
  show(command, tally.report, () => tally.asText('contact', 'card', all === true));
  if (tally.hasFailed) process.exitCode = 1;
}

/** Contacts per transaction. */
const KEPT_AT_ONCE = 2_000;

/** One run of an import into an address book, with files of any size; after an interruption, another run continues. */
class ContactsImport {
  readonly #services: Services;
  readonly #owner: ContactsOwner;
  readonly #bookId: string;
  readonly #tally = new ImportTally();

  constructor(services: Services, owner: ContactsOwner, bookId: string) {
    this.#services = services;
    this.#owner = owner;
    this.#bookId = bookId;
  }

  /** Imports the vCards of these files and directories. Rejects when the storage fails. */
  async run(paths: readonly string[]): Promise<ImportTally> {
    const line = new ProgressLine(() => this.#tally.progress);
    try {
      for (const found of filesIn(paths, { takesPipes: true })) {
        if (found.kind === 'skipped') this.#tally.skipName(found);
        else await this.#take(found);
      }
    } finally {
      line.end();
    }
    return this.#tally;
  }

  async #take(file: NamedFile): Promise<void> {
    let contacts: ImportedContact[] = [];
    const skippedBefore = this.#tally.report.skipped.length;
    let isEmpty = true;
    for await (const read of this.#services.contacts.readContacts(this.#readable(file))) {
      isEmpty = false;
      if ('reason' in read) this.#tally.skip(file, read);
      else contacts.push(read);
      if (contacts.length < KEPT_AT_ONCE) continue;
      await this.#keep(file, contacts);
      contacts = [];
    }
    await this.#keep(file, contacts);
    // A file that could not be read has already been reported.
    if (isEmpty && this.#tally.report.skipped.length === skippedBefore)
      this.#tally.skip(file, { reason: 'empty' });
  }

  /** The bytes of a file, up to the first error of reading. */
  async *#readable(file: NamedFile): AsyncGenerator<Uint8Array> {
    const stream = createReadStream(file.path);
    const chunks = stream.iterator();
    try {
      for (;;) {
        const next = await chunks.next().catch((error) => ({ done: true, value: undefined, error }));
        if ('error' in next) this.#tally.skip(file, { reason: reasonOf(next.error) });
        if (next.done) return;
        yield next.value;
      }
    } finally {
      stream.destroy();
    }
  }

  async #keep(file: NamedFile, contacts: readonly ImportedContact[]): Promise<void> {
    if (contacts.length === 0) return;
    const services = this.#services;
    const counts = await services.database.write((tx) =>
      services.contacts.importContacts(tx, this.#owner, this.#bookId, contacts),
    );
    this.#tally.add(file, counts);
  }
}
