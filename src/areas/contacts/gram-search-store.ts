import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import type { ListedRow, Shelf } from './listing-store.ts';
import { contactsAt } from './lookup-store.ts';

interface AlongGram extends Shelf {
  gram: string;
  after: string;
  limit: number;
}

/** The entries of one gram after a place, in order. */
function entriesOf(tx: ReadTransaction, p: AlongGram, most: RawBuilder<number>) {
  return tx
    .selectFrom('contact_grams')
    .select('place')
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('gram', '=', p.gram)
    .where('place', '>', p.after)
    .orderBy('place')
    .limit(most);
}

const withGram = statement((tx, p: AlongGram) =>
  contactsAt(tx, p, entriesOf(tx, p, sql<number>`0 + ${p.limit}`).as('g')),
);

/** The contacts of a shelf that have a gram, after a place, in order. */
export function listWithGram(tx: ReadTransaction, search: AlongGram): Promise<ListedRow[]> {
  return withGram(tx, search);
}

const alongGram = statement((tx, p: AlongGram & { fragment: string; most: number }) =>
  contactsAt(tx, p, entriesOf(tx, p, sql<number>`0 + ${p.most}`).as('g'), p.fragment).limit(
    sql<number>`0 + ${p.limit}`,
  ),
);

/** As `listWithGram`, those whose text contains a fragment, among the first `most` that have the gram. */
export function listAlongGram(
  tx: ReadTransaction,
  search: AlongGram & { fragment: string; most: number },
): Promise<ListedRow[]> {
  return alongGram(tx, search);
}
