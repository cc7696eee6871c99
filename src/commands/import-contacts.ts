import type { Command } from 'commander';
import { bookNamed, bookOption } from './address-book.ts';
import { ContactsImport } from './contacts-import.ts';
import { userNamed } from './named.ts';
import { show } from './output.ts';
import { withProduct } from './session.ts';

export function addImportContacts(group: Command): void {
  group
    .command('contacts')
    .description('Import contacts from vCard files of any size; the same UID updates')
    .argument('<user>', 'the id, e-mail address or alias of the user whose contacts they become')
    .argument('<path...>', 'vCard files, and directories of them')
    .addOption(bookOption())
    .action(importContacts);
}

async function importContacts(
  user: string,
  paths: string[],
  { book }: { book?: string },
  command: Command,
): Promise<void> {
  const tally = await withProduct(async (product) => {
    const { owner, bookId } = await product.database.read(async (tx) => {
      const found = await userNamed(tx, product.directory, user);
      return { owner: found, bookId: (await bookNamed(tx, product.contacts, found, book)).id };
    });
    return new ContactsImport(product, owner, bookId).run(paths);
  });
  show(command, tally.report, () => tally.asText('contact', 'card'));
  if (tally.hasFailed) process.exitCode = 1;
}
