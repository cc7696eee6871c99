import { sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { listedText } from '../../../storage/query/long-rows.ts';
import { statement } from '../../../storage/query/statement.ts';

/** A contact as a listing shows it, and its place there. */
export interface ListedRow {
  place: string;
  /** "" where it is too long to be read with others: `findRecord` reads it. */
  record: string;
}

/** The contacts of one book that are in the trash, or those that are not. */
export interface Shelf {
  workspaceId: string;
  bookId: string;
  trashed: number;
}

/** The part of a listing after a place ("" for its beginning). */
interface Portion {
  after: string;
  limit: number;
}

const ofUser = statement((tx, p: Portion & { workspaceId: string; userId: string; trashed: number }) =>
  tx
    .selectFrom('contacts')
    .select(['place', listedText('record').as('record')])
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('trashed', '=', p.trashed)
    .where('place', '>', p.after)
    .orderBy('place')
    // SQLite plans a statement anew for each value that is its bare limit.
    .limit(sql<number>`0 + ${p.limit}`),
);

const ofBook = statement((tx, p: Portion & Shelf) =>
  tx
    .selectFrom('contacts')
    .select(['place', listedText('record').as('record')])
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('place', '>', p.after)
    .orderBy('place')
    .limit(sql<number>`0 + ${p.limit}`),
);

/** The contacts of a user in order, of all books. */
export function listAll(
  tx: ReadTransaction,
  listing: Portion & { workspaceId: string; userId: string; trashed: number },
): Promise<ListedRow[]> {
  return ofUser(tx, listing);
}

/** The contacts of a book in order. The book is the caller's. */
export function listBook(tx: ReadTransaction, listing: Portion & Shelf): Promise<ListedRow[]> {
  return ofBook(tx, listing);
}

const atPlace = statement((tx, p: { workspaceId: string; userId: string; trashed: number; place: string }) =>
  tx
    .selectFrom('contacts')
    .select('record')
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('trashed', '=', p.trashed)
    .where('place', '=', p.place),
);

/** The record of the contact of a user at a place. */
export async function findRecord(
  tx: ReadTransaction,
  { workspaceId, userId, trashed }: { workspaceId: string; userId: string; trashed: number },
  place: string,
): Promise<string> {
  const [found] = await atPlace(tx, { workspaceId, userId, trashed, place });
  if (!found) throw new TypeError(`There is no contact at ${place}`);
  return found.record;
}
