import { Readable } from 'node:stream';
import { Content } from '../../api/answers.ts';
import { writeCard } from '../../formats/vcard/write.ts';
import type { Database, ReadTransaction } from '../../storage/database.ts';
import { getBook } from './books.ts';
import { cardOfContact } from './cards.ts';
import { listContactsByUid } from './contact-store.ts';
import type { ContactsOwner } from './owner.ts';

const PAGE_SIZE = 500;

/** The contacts of a book as vCards, in order of UID. Throws ApiError not_found. */
export async function exportBook(
  tx: ReadTransaction,
  database: Database,
  owner: ContactsOwner,
  bookId: string,
): Promise<Content> {
  const { name } = await getBook(tx, owner, bookId);
  return new Content({
    mediaType: 'text/vcard',
    filename: `${name}.vcf`,
    open: async () => Readable.from(cardsOf(database, owner, bookId), { objectMode: false }),
  });
}

/**
 * The cards of a book, some hundred at a time, read as they are asked for. UIDs do not change, so that whoever is there
 * from beginning to end comes once, whatever else happens meanwhile.
 */
export async function* cardsOf(
  database: Database,
  owner: ContactsOwner,
  bookId: string,
): AsyncGenerator<string> {
  let after = '';
  for (;;) {
    const rows = await database.read((tx) => listContactsByUid(tx, owner, bookId, after, PAGE_SIZE));
    const cards = rows.filter(({ trashed }) => trashed === 0).map((row) => writeCard(cardOfContact(row)));
    if (cards.length > 0) yield cards.join('');
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_SIZE) return;
    after = last.uid;
  }
}
