import { JsonText, type Page, type PageRequest } from '../../../contract/answers.ts';
import { Cache } from '../../../platform/cache.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { fold } from '../../../text/fold.ts';
import { gatherInTurns } from '../../../turns/in-turns.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { type BookRow, findBook, listBooks } from '../books/book-store.ts';
import type { ContactsOwner } from '../owner.ts';
import { findRecord, type ListedRow, listAll, listBook } from './listing-store.ts';
import { searchPartition } from './search-store.ts';

/** The filter of a listing; its conditions are combined by AND. */
export interface ContactFilter {
  bookId: string | undefined;
  /** A fragment of the searched text, in any case; "" for all contacts. */
  q: string;
  trashed: boolean;
}

/** Cache of recent pages, keyed by the revisions of their books. */
export type ContactPages = Cache<Page>;

/** At most 16 MB of memory; very large pages are not cached. */
export function contactPages(): ContactPages {
  return new Cache({ room: 8_000_000, largest: 400_000 });
}

/** One page of contacts in order of name, as ready JSON. */
export async function pageOfContacts(
  tx: ReadTransaction,
  pages: ContactPages,
  owner: ContactsOwner,
  filter: ContactFilter,
  { limit, after }: PageRequest,
): Promise<Page> {
  const listing: Listing = {
    workspaceId: owner.workspaceId,
    userId: owner.userId,
    books: await booksToRead(tx, owner, filter.bookId),
    isOfAll: filter.bookId === undefined,
    fragment: fold(filter.q),
    trashed: Number(filter.trashed),
    after: String(after?.[0] ?? ''),
    limit,
  };
  const key = keyOf(listing);
  const cached = pages.get(key);
  if (cached) return cached;
  const { page, size } = pageOf(await rowsInPortions(tx, listing));
  pages.set(key, page, size);
  return page;
}

/** Contacts per statement. */
const PORTION = 50;
/** Characters after which a page ends early; the next page continues there. */
const LONG_PAGE = 4_000_000;

interface Rows {
  rows: ListedRow[];
  isCut: boolean;
}

async function rowsInPortions(tx: ReadTransaction, listing: Listing): Promise<Rows> {
  const rows: ListedRow[] = [];
  let size = 0;
  for (;;) {
    const limit = Math.min(PORTION, listing.limit - rows.length);
    const portion = await rowsOf(tx, { ...listing, after: rows.at(-1)?.place ?? listing.after, limit });
    for (const { place, record } of portion) {
      rows.push({ place, record: record || (await findRecord(tx, listing, place)) });
      size += rows.at(-1)?.record.length ?? 0;
      if (size > LONG_PAGE && rows.length < listing.limit) return { rows, isCut: true };
    }
    if (portion.length < limit || rows.length === listing.limit) return { rows, isCut: false };
  }
}

/** A requested page; `after` is the sort key before it, "" at the beginning. */
interface Listing {
  workspaceId: string;
  userId: string;
  books: readonly Pick<BookRow, 'id' | 'revision'>[];
  /** Whether `books` are all books of the user. */
  isOfAll: boolean;
  fragment: string;
  trashed: number;
  after: string;
  limit: number;
}

/** Unique: revisions are random, so no two books and no two states of a book share one. */
function keyOf({ books, isOfAll, fragment, trashed, after, limit, userId }: Listing): string {
  const revisions = books.map(({ id, revision }) => `${id} ${revision}`);
  return JSON.stringify([userId, revisions, isOfAll, trashed, limit, after, fragment]);
}

function pageOf({ rows, isCut }: Rows): { page: Page; size: number } {
  const last = rows.at(-1);
  const text = `[${rows.map(({ record }) => record).join(',')}]`;
  const page = { items: new JsonText(text), count: rows.length, isCut, last: last && [last.place] };
  return { page, size: text.length };
}

async function rowsOf(tx: ReadTransaction, listing: Listing): Promise<ListedRow[]> {
  const { workspaceId, userId, trashed, after, limit } = listing;
  if (listing.fragment !== '') return searchBooks(tx, listing);
  if (listing.isOfAll) return listAll(tx, { workspaceId, userId, trashed, after, limit });
  const [only] = listing.books;
  return only ? listBook(tx, { workspaceId, bookId: only.id, trashed, after, limit }) : [];
}

async function booksToRead(
  tx: ReadTransaction,
  owner: ContactsOwner,
  bookId: string | undefined,
): Promise<BookRow[]> {
  if (bookId === undefined) return gatherInTurns(listBooks(tx, owner), (book) => book);
  const book = await findBook(tx, owner, bookId);
  return book ? [book] : [];
}

/** Searches the index of each book and merges the results. */
async function searchBooks(
  tx: ReadTransaction,
  { workspaceId, books, fragment, trashed, after, limit }: Listing,
): Promise<ListedRow[]> {
  const found: ListedRow[] = [];
  for (const { id } of books) {
    found.push(
      ...(await searchPartition(tx, { workspaceId, bookId: id, trashed }, fragment, { after, limit })),
    );
    await giveWay();
  }
  return books.length > 1 ? found.sort(bySortKey).slice(0, limit) : found;
}

/** The order of the database: by UTF-8 bytes (code points), unlike the order of JavaScript strings. */
function bySortKey(a: ListedRow, b: ListedRow): number {
  return Buffer.compare(Buffer.from(a.place), Buffer.from(b.place));
}
