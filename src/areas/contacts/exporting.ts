import { Readable } from 'node:stream';
import { Content } from '../../api/answers.ts';
import { writeCard } from '../../formats/vcard/write.ts';
import type { Database, ReadTransaction } from '../../storage/database.ts';
import { fittingCount } from '../../storage/long-rows.ts';
import { nextTurn } from '../../turns/next-turn.ts';
import { getBook } from './books.ts';
import { cardOfContact } from './cards.ts';
import { listContactSizes, listContactsByUid } from './contact-store.ts';
import type { ContactsOwner } from './owner.ts';

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

/** Contacts whose sizes are looked at together, and how many bytes of them are read and written at once. */
const SIZES_AT_ONCE = 500;
const BYTES_AT_ONCE = 256 * 1024;

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
    const rows = await database.read(async (tx) => {
      const sizes = await listContactSizes(tx, owner, bookId, after, SIZES_AT_ONCE);
      return listContactsByUid(tx, owner, bookId, after, fittingCount(sizes, BYTES_AT_ONCE));
    });
    const last = rows.at(-1);
    if (!last) return;
    after = last.uid;
    const cards = rows.filter(({ trashed }) => trashed === 0).map((row) => writeCard(cardOfContact(row)));
    if (cards.length > 0) yield cards.join('');
    await nextTurn();
  }
}
