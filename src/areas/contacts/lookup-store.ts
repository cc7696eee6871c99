import { type AliasedExpression, sql } from 'kysely';
import { holds } from '../../storage/contains.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import type { Shelf } from './listing-store.ts';

type Places = AliasedExpression<{ place: string }, 'g'>;

/**
 * The contacts of a shelf at these places, in their order; with a fragment, those whose text holds it. Each is looked up
 * in the index: told by a plain join, PostgreSQL may read the whole shelf for each of them while it knows little of the
 * tables, and SQLite may begin with the contacts.
 */
export function contactsAt(tx: ReadTransaction, p: Shelf, places: Places, fragment?: string) {
  const query =
    tx.engine === 'postgres' ? lookedUp(tx, p, places, fragment) : crossed(tx, p, places, fragment);
  return query.select(['g.place', 'c.record']).orderBy('g.place');
}

function lookedUp(tx: ReadTransaction, p: Shelf, places: Places, fragment: string | undefined) {
  const contact = tx
    .selectFrom('contacts as k')
    .select('k.record')
    .where('k.workspace_id', '=', p.workspaceId)
    .where('k.address_book_id', '=', p.bookId)
    .where('k.trashed', '=', p.trashed)
    .where('k.place', '=', sql.ref<string>('g.place'))
    .$if(fragment !== undefined, (query) => query.where(holds(tx, 'k.search_text', fragment ?? '')))
    .limit(sql.lit(1));
  return tx.selectFrom(places).innerJoinLateral(contact.as('c'), (join) => join.onTrue());
}

/** A place is that of one contact: its shelf need not be asked for. */
function crossed(tx: ReadTransaction, p: Shelf, places: Places, fragment: string | undefined) {
  return tx
    .selectFrom(places)
    .crossJoin('contacts as c')
    .where('c.workspace_id', '=', p.workspaceId)
    .whereRef('c.place', '=', 'g.place')
    .$if(fragment !== undefined, (query) => query.where(holds(tx, 'c.search_text', fragment ?? '')));
}
