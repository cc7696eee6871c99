import { sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { listedText } from '../../../storage/query/long-rows.ts';
import { statement } from '../../../storage/query/statement.ts';

/** A contact of a listing. */
export interface ListedRow {
  /** The sort key. */
  place: string;
  /** "" if it is too long to be read together with others: `findRecord` reads it. */
  record: string;
}

/** A partition of the search index: the contacts of one book that are in the trash, or those that are not. */
export interface Partition {
  workspaceId: string;
  bookId: string;
  trashed: number;
}

/** The range of a listing after a sort key ("" for its beginning). */
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
    // SQLite plans a statement again for each value of a bare LIMIT parameter.
    .limit(sql<number>`0 + ${p.limit}`),
);

const ofBook = statement((tx, p: Portion & Partition) =>
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

/** The contacts of all books of a user in order. */
export function listAll(
  tx: ReadTransaction,
  listing: Portion & { workspaceId: string; userId: string; trashed: number },
): Promise<ListedRow[]> {
  return ofUser(tx, listing);
}

/** The contacts of a book in order. The book belongs to the caller. */
export function listBook(tx: ReadTransaction, listing: Portion & Partition): Promise<ListedRow[]> {
  return ofBook(tx, listing);
}

const selectBySortKey = statement(
  (tx, p: { workspaceId: string; userId: string; trashed: number; place: string }) =>
    tx
      .selectFrom('contacts')
      .select('record')
      .where('workspace_id', '=', p.workspaceId)
      .where('user_id', '=', p.userId)
      .where('trashed', '=', p.trashed)
      .where('place', '=', p.place),
);

/** The record of the contact of a user with this sort key. */
export async function findRecord(
  tx: ReadTransaction,
  { workspaceId, userId, trashed }: { workspaceId: string; userId: string; trashed: number },
  sortKey: string,
): Promise<string> {
  const [found] = await selectBySortKey(tx, { workspaceId, userId, trashed, place: sortKey });
  if (!found) throw new TypeError(`There is no contact at ${sortKey}`);
  return found.record;
}
