import type { Command } from 'commander';
import { bookNamed, bookOption, userNamed } from '../lookups.ts';
import { counted, show } from '../output.ts';
import { withServices } from '../with-services.ts';
import { refuseMixedOutput, writeOutput } from './export-output.ts';

interface ExportOptions {
  book?: string;
  output?: string;
}

export function addExportContacts(group: Command): void {
  group
    .command('contacts')
    .description('Export the contacts of an address book as vCard 4.0')
    .argument('<user>', 'the id, e-mail address or alias of the user whose contacts they are')
    .addOption(bookOption())
    .option('--output <file>', 'the file to write (default: standard output)')
    .action(exportContacts);
}

async function exportContacts(user: string, options: ExportOptions, command: Command): Promise<void> {
  const { book: name, output } = options;
  refuseMixedOutput(output, command);
  const book = await withServices(async ({ database, directory, contacts }) => {
    const owner = await database.read((tx) => userNamed(tx, directory, user));
    const found = await database.read((tx) => bookNamed(tx, contacts, owner, name));
    await writeOutput(contacts.cardsOf(owner, found.id), output);
    return found;
  });
  if (output === undefined) return;
  const report = { address_book_id: book.id, exported: book.contact_count, output };
  show(command, report, () => `${counted(book.contact_count, 'contact')} exported to ${output}.`);
}
