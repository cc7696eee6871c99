import type { Command } from 'commander';
import { bookNamed, bookOption } from './address-book.ts';
import { ContactsImport, type ContactsReport } from './contacts-import.ts';
import { userNamed } from './named.ts';
import { counted, show } from './output.ts';
import { withProduct } from './session.ts';

export function addImportContacts(group: Command): void {
  group
    .command('contacts')
    .description('Import contacts from vCard files of any size; the same UID updates')
    .argument('<user>', 'the id, e-mail address or alias of the user whose contacts they become')
    .argument('<file...>', 'vCard files')
    .addOption(bookOption())
    .action(importContacts);
}

async function importContacts(
  user: string,
  files: string[],
  { book }: { book?: string },
  command: Command,
): Promise<void> {
  const report = await withProduct(async (product) => {
    const { owner, bookId } = await product.database.read(async (tx) => {
      const found = await userNamed(tx, product.directory, user);
      return { owner: found, bookId: (await bookNamed(tx, product.contacts, found, book)).id };
    });
    return new ContactsImport(product, owner, bookId).run(files);
  });
  show(command, report, () => asText(report));
  if (report.skipped.some(({ index }) => index === undefined)) process.exitCode = 1;
}

function asText({ created, updated, skipped }: ContactsReport): string {
  const lines = [`${counted(created, 'contact')} created, ${updated} updated, ${skipped.length} skipped.`];
  const skips = skipped.map(({ source, index, reason }) => {
    const place = index === undefined ? source : `card ${index} of ${source}`;
    return `skipped ${place}: ${reason}`;
  });
  return [...lines, ...skips].join('\n');
}
