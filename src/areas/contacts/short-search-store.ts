import { sql } from 'kysely';
import { holds } from '../../storage/contains.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import type { ListedRow, Shelf } from './listing-store.ts';
import { contactsAt } from './lookup-store.ts';

/** Sorts after every place, and behind a fragment after every gram that begins with it: no place has as many characters. */
const LAST = '\u{10ffff}'.repeat(1_000);

interface Short extends Shelf {
  fragment: string;
}

interface Beginning extends Shelf {
  first: string;
  last: string;
  most: number;
}

/** The entries of grams that begin with a fragment, in no order that matters. */
function entriesBeginning(tx: ReadTransaction, p: Beginning) {
  return tx
    .selectFrom('contact_grams')
    .select('place')
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('gram', '>=', p.first)
    .where('gram', '<=', p.last)
    .orderBy('gram')
    .orderBy('place')
    .limit(sql<number>`0 + ${p.most}`);
}

const countBeginning = statement((tx, p: Beginning) =>
  tx.selectFrom(entriesBeginning(tx, p).as('g')).select(({ fn }) => fn.countAll<number>().as('entries')),
);

/** Whether the grams that begin with a fragment have fewer entries than `most`. */
export async function isRare(
  tx: ReadTransaction,
  { fragment, ...search }: Short & { most: number },
): Promise<boolean> {
  const [row] = await countBeginning(tx, { ...search, first: fragment, last: fragment + LAST });
  return Number(row?.entries) < search.most;
}

const beginning = statement((tx, p: Beginning & { after: string; limit: number }) =>
  contactsAt(
    tx,
    p,
    tx
      .selectFrom(entriesBeginning(tx, p).as('e'))
      .select('place')
      .distinct()
      .where('place', '>', p.after)
      .orderBy('place')
      .limit(sql<number>`0 + ${p.limit}`)
      .as('g'),
  ),
);

/** The contacts of a shelf that have a rare fragment, after a place, in order. */
export function listRare(
  tx: ReadTransaction,
  { fragment, ...search }: Short & { after: string; limit: number; most: number },
): Promise<ListedRow[]> {
  return beginning(tx, { ...search, first: fragment, last: fragment + LAST });
}

/** Contacts that one statement looks through. */
const WINDOW = 500;

const windowEnd = statement((tx, p: Shelf & { start: string }) =>
  contactsFrom(tx, p)
    .select('place')
    .offset(sql.lit(WINDOW - 1))
    .limit(sql.lit(1)),
);

/** The place of the last contact of the window after a place; undefined when fewer than a window are left. */
export async function endOfWindow(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Shelf,
  start: string,
): Promise<string | undefined> {
  const [row] = await windowEnd(tx, { workspaceId, bookId, trashed, start });
  return row?.place;
}

const inWindow = statement((tx, p: Short & { start: string; limit: number }) =>
  tx
    .selectFrom(contactsFrom(tx, p).select(['place', 'record', 'search_text']).limit(sql.lit(WINDOW)).as('w'))
    .select(['w.place', 'w.record'])
    .where(holds(tx, 'w.search_text', p.fragment))
    .orderBy('w.place')
    .limit(sql<number>`0 + ${p.limit}`),
);

/** The contacts of the window after a place whose text contains a fragment, in order. */
export function listWindow(
  tx: ReadTransaction,
  search: Short & { start: string; limit: number },
): Promise<ListedRow[]> {
  return inWindow(tx, search);
}

function contactsFrom(tx: ReadTransaction, p: Shelf & { start: string }) {
  return tx
    .selectFrom('contacts')
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('place', '>', p.start)
    .orderBy('place');
}
