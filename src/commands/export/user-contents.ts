import { join } from 'node:path';
import type { FoundUser } from '../../areas/directory/service.ts';
import { type Content, type CursorPosition, JsonText } from '../../contract/answers.ts';
import type { Services } from '../../start/composition.ts';
import { FileNames, placedFolders, type TreeFolder } from './file-names.ts';
import type { ExportTarget } from './user-target.ts';

/** Exports each mail folder as one mailbox file; subfolders are in a directory next to this file. */
export async function exportMailbox(
  { database, mail }: Services,
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

/** Exports each address book as one file of vCards. */
export async function exportAddressBooks(
  { database, contacts }: Services,
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

/** Exports each calendar as one iCalendar file. */
export async function exportCalendars(
  { database, calendar }: Services,
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

/** The fields used from the record of a file, document or spreadsheet. */
interface NodeRecord {
  id: string;
  type: 'file' | 'document' | 'spreadsheet';
  title: string;
  owner_id: string;
}

const KINDS: readonly NodeRecord['type'][] = ['file', 'document', 'spreadsheet'];
const ENDINGS = { file: '', document: '.md', spreadsheet: '.xlsx' } as const;
const PAGE_SIZE = 100;

/** Exports the user's own drive in its folder tree, without the trash. */
export async function exportDrive(services: Services, owner: FoundUser, target: ExportTarget): Promise<void> {
  const listed = await services.database.read((tx) =>
    services.files.listFolders(tx, owner, { trashed: false, shared: false }),
  );
  const folders = listed
    .map(({ text }): TreeFolder & { owner_id: string } => JSON.parse(text))
    .filter(({ owner_id }) => owner_id === owner.userId);
  for (const { folder, path, names } of placedFolders(folders, 'files')) {
    await target.makeDirectory(path);
    if (folder) await target.note({ path, type: 'file_folder', record: folder });
    for await (const record of nodesIn(services, owner, folder?.id ?? '')) {
      const entry = {
        path: join(path, names.take(record.title, ENDINGS[record.type])),
        type: record.type,
        record,
      };
      const content = await contentOf(services, owner, record);
      await target.write(entry, await content.open());
    }
  }
}

/** The user's own nodes in a folder, newest first; at the root, the listing also contains nodes shared by others. */
async function* nodesIn(
  { database, files }: Services,
  owner: FoundUser,
  folderId: string,
): AsyncGenerator<NodeRecord> {
  const filter = { kinds: KINDS, folderId, q: '', trashed: false, shared: false };
  let after: CursorPosition | undefined;
  do {
    const page = await database.read((tx) =>
      files.nodes.list(tx, owner, filter, { limit: PAGE_SIZE, after }),
    );
    if (!(page.items instanceof JsonText)) throw new TypeError('the listing is records, not text');
    const records: NodeRecord[] = JSON.parse(page.items.text);
    yield* records.filter(({ owner_id }) => owner_id === owner.userId);
    after = page.count === PAGE_SIZE ? page.last : undefined;
  } while (after);
}

function contentOf(
  { database, files, documents, spreadsheets }: Services,
  owner: FoundUser,
  { id, type }: NodeRecord,
): Promise<Content> {
  if (type === 'spreadsheet')
    return spreadsheets.exportSheets(owner, id, { format: 'xlsx', sheet: undefined });
  return database.read((tx) =>
    type === 'file' ? files.getContent(tx, owner, id) : documents.export(tx, owner, id, 'markdown'),
  );
}
