import { join } from 'node:path';
import type { FoundUser } from '../../areas/directory/service.ts';
import type { Product } from '../../start/composition.ts';
import { FileNames } from './file-names.ts';
import { placedFolders } from './folder-paths.ts';
import type { ExportTarget } from './target.ts';

/** Mail as a mailbox file each folder; folders within a folder are in a directory beside its file. */
export async function exportMailbox(
  { database, mail }: Product,
  owner: FoundUser,
  target: ExportTarget,
): Promise<void> {
  const folders = await database.read((tx) => mail.listFolders(tx, owner));
  for (const { path, names, children } of placedFolders(folders, 'mail')) {
    if (children.length > 0) await target.makeDirectory(path);
    for (const folder of children) {
      const file = join(path, names.take(folder.name, '.mbox'));
      const entry = { path: file, type: 'mail_folder', record: folder } as const;
      await target.write(entry, piecesOf(mail.exportFolder(owner, folder.id)));
    }
  }
}

/** Contacts as a file of vCards each address book. */
export async function exportAddressBooks(
  { database, contacts }: Product,
  owner: FoundUser,
  target: ExportTarget,
): Promise<void> {
  const names = new FileNames();
  await target.makeDirectory('contacts');
  for (const book of await database.read((tx) => contacts.listBooks(tx, owner))) {
    const path = join('contacts', names.take(book.name, '.vcf'));
    await target.write({ path, type: 'address_book', record: book }, contacts.cardsOf(owner, book.id));
  }
}

/** Calendars as iCalendar, a file each. */
export async function exportCalendars(
  { database, calendar }: Product,
  owner: FoundUser,
  target: ExportTarget,
): Promise<void> {
  const names = new FileNames();
  await target.makeDirectory('calendars');
  for (const record of await database.read((tx) => calendar.listCalendars(tx, owner))) {
    const path = join('calendars', names.take(record.name, '.ics'));
    await target.write({ path, type: 'calendar', record }, calendar.exportCalendar(owner, record.id));
  }
}

async function* piecesOf(entries: AsyncIterable<Uint8Array[]>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) yield* entry;
}
