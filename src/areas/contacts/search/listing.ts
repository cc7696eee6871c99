import { JsonText, type Page, type PageRequest } from '../../../contract/answers.ts';
import { Cache } from '../../../platform/cache.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { fold } from '../../../text/fold.ts';
import { gatherInTurns } from '../../../turns/in-turns.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { type BookRow, findBook, listBooks } from '../books/book-store.ts';
import type { ContactsOwner } from '../owner.ts';
import { findRecord, type ListedRow, listAll, listBook } from './listing-store.ts';
import { searchShelf } from './search-store.ts';

/** Which contacts a listing shows; its parts combine by and. */
export interface ContactFilter {
  bookId: string | undefined;
  /** A fragment of what is searched, in any case; "" for all. */
  q: string;
  trashed: boolean;
}

/** Pages that were read lately, under the revisions of the books that they are of. */
export type ContactPages = Cache<Page>;

/** At most 16 MB of memory; the largest pages are those of few. */
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
  const known = pages.get(key);
  if (known) return known;
  const { page, size } = pageOf(await rowsInPortions(tx, listing));
  pages.set(key, page, size);
  return page;
}

/** Contacts that are read at a time. */
const PORTION = 50;
/** Characters after which a page ends early: more follows, as after one that is full. */
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

/** What is asked for; `after` is the place before it, "" at the beginning. */
interface Listing {
  workspaceId: string;
  userId: string;
  books: readonly Pick<BookRow, 'id' | 'revision'>[];
  /** Whether the books are all that the user has. */
  isOfAll: boolean;
  fragment: string;
  trashed: number;
  after: string;
  limit: number;
}

/** Nobody else's book has the revision of one, nor has it that revision again when its contacts have changed. */
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

/** The index is one for each book; what they hold is merged. */
async function searchBooks(
  tx: ReadTransaction,
  { workspaceId, books, fragment, trashed, after, limit }: Listing,
): Promise<ListedRow[]> {
  const found: ListedRow[] = [];
  for (const { id } of books) {
    found.push(...(await searchShelf(tx, { workspaceId, bookId: id, trashed }, fragment, { after, limit })));
    await giveWay();
  }
  return books.length > 1 ? found.sort(byPlace).slice(0, limit) : found;
}

/** In the order of the database: by bytes, which is that of code points and not that of JavaScript. */
function byPlace(a: ListedRow, b: ListedRow): number {
  return Buffer.compare(Buffer.from(a.place), Buffer.from(b.place));
}
