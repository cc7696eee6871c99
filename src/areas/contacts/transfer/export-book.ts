import { Readable } from 'node:stream';
import { Content } from '../../../contract/answers.ts';
import { writeCard } from '../../../formats/vcard/write.ts';
import type { Database, ReadTransaction } from '../../../storage/database.ts';
import { exportedRows } from '../../../storage/query/long-rows.ts';
import { getBook } from '../books/books.ts';
import { listContactSizes, listContactsByUid } from '../contacts/contact-store.ts';
import type { ContactsOwner } from '../owner.ts';
import { cardOfContact } from './cards.ts';

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

/** The cards of a book in portions of some hundred, read on demand. */
export async function* cardsOf(
  database: Database,
  owner: ContactsOwner,
  bookId: string,
): AsyncGenerator<string> {
  const portions = exportedRows(database, {
    sizes: (tx, after, limit) => listContactSizes(tx, owner, bookId, after, limit),
    rows: (tx, after, limit) => listContactsByUid(tx, owner, bookId, after, limit),
  });
  for await (const rows of portions) {
    const cards = rows.filter(({ trashed }) => trashed === 0).map((row) => writeCard(cardOfContact(row)));
    if (cards.length > 0) yield cards.join('');
  }
}
