import { JsonText, type Page, type PageRequest } from '../../api/answers.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { fold } from '../../text/fold.ts';
import { findBook, listBooks } from './book-store.ts';
import { type ListedRow, listAll, listBook, type Shelf } from './listing-store.ts';
import type { ContactsOwner } from './owner.ts';
import { searchShelf } from './search-store.ts';

/** Which contacts a listing shows; its parts combine by and. */
export interface ContactFilter {
  bookId: string | undefined;
  /** A fragment of what is searched, in any case; "" for all. */
  q: string;
  trashed: boolean;
}

/** One page of contacts in order of name, as ready JSON. */
export async function pageOfContacts(
  tx: ReadTransaction,
  owner: ContactsOwner,
  filter: ContactFilter,
  page: PageRequest,
): Promise<Page> {
  const rows = await rowsOf(tx, owner, filter, { after: String(page.after?.[0] ?? ''), limit: page.limit });
  const last = rows.at(-1);
  return {
    items: new JsonText(`[${rows.map(({ record }) => record).join(',')}]`),
    count: rows.length,
    last: last && [last.place],
  };
}

/** The part of a listing that is asked for: `after` is the place before it, "" at the beginning. */
interface Portion {
  after: string;
  limit: number;
}

async function rowsOf(
  tx: ReadTransaction,
  owner: ContactsOwner,
  { bookId, q, trashed }: ContactFilter,
  portion: Portion,
): Promise<ListedRow[]> {
  const { workspaceId, userId } = owner;
  const fragment = fold(q);
  const given = { workspaceId, trashed: Number(trashed), ...portion };
  if (bookId === undefined && fragment === '') return listAll(tx, { ...given, userId });
  const bookIds = await booksToRead(tx, owner, bookId);
  if (fragment !== '') return searchBooks(tx, { ...given, bookIds, fragment });
  const [only] = bookIds;
  return only === undefined ? [] : listBook(tx, { ...given, bookId: only });
}

async function booksToRead(
  tx: ReadTransaction,
  owner: ContactsOwner,
  bookId: string | undefined,
): Promise<string[]> {
  const books = bookId === undefined ? await listBooks(tx, owner) : [await findBook(tx, owner, bookId)];
  return books.flatMap((book) => (book ? [book.id] : []));
}

/** The index is one for each book; what they hold is merged. */
async function searchBooks(
  tx: ReadTransaction,
  {
    bookIds,
    fragment,
    after,
    limit,
    ...scope
  }: Omit<Shelf, 'bookId'> & Portion & { bookIds: readonly string[]; fragment: string },
): Promise<ListedRow[]> {
  const found: ListedRow[] = [];
  for (const bookId of bookIds) {
    found.push(...(await searchShelf(tx, { ...scope, bookId }, fragment, { after, limit })));
  }
  return bookIds.length > 1 ? found.sort(byPlace).slice(0, limit) : found;
}

/** In the order of the database: by bytes, which is that of code points and not that of JavaScript. */
function byPlace(a: ListedRow, b: ListedRow): number {
  return Buffer.compare(Buffer.from(a.place), Buffer.from(b.place));
}
