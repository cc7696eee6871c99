import { sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { holds } from '../../../storage/query/contains.ts';
import { listedText } from '../../../storage/query/long-rows.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { Looking, Portion } from '../../../storage/search/gram-search.ts';
import { isTextLeftOut } from './left-out.ts';
import type { ListedRow, Shelf } from './listing-store.ts';

/** Contacts that one statement looks through. */
const WINDOW = 500;

const windowEnd = statement((tx, p: Shelf & { start: string }) =>
  contactsFrom(tx, p)
    .select('place')
    .offset(sql.lit(WINDOW - 1))
    .limit(sql.lit(1)),
);

/** The place of the last contact of the window after a place; undefined when fewer than a window are left. */
async function endOfWindow(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Shelf,
  start: string,
): Promise<string | undefined> {
  const [row] = await windowEnd(tx, { workspaceId, bookId, trashed, start });
  return row?.place;
}

/** One that may hold the fragment; the record is null where the text is too long to be looked at with others. */
const inWindow = statement((tx, p: Shelf & { fragment: string; start: string; limit: number }) => {
  const isLong = isTextLeftOut('c.search_text');
  return windowFrom(tx, p)
    .select('c.place')
    .select(sql<string | null>`case when not ${isLong} then ${listedText('c.record')} end`.as('record'))
    .where(sql<boolean>`case when ${isLong} then true else ${holds(tx, 'c.search_text', p.fragment)} end`)
    .limit(sql<number>`0 + ${p.limit}`);
});

/** The next contacts as "c", in order. */
function windowFrom(tx: ReadTransaction, p: Shelf & { start: string }) {
  if (tx.engine === 'postgres') {
    const contacts = contactsFrom(tx, p).select(['place', 'record', 'search_text']).limit(sql.lit(WINDOW));
    return tx.selectFrom(contacts.as('c')).orderBy('c.place');
  }
  // SQLite would read all of each long one, and not only what is asked of it. Told to look in this order, it does.
  const places = contactsFrom(tx, p).select('number').limit(sql.lit(WINDOW));
  return tx.selectFrom(places.as('w')).crossJoin('contacts as c').whereRef('c.number', '=', 'w.number');
}

const atPlace = statement((tx, p: Shelf & { fragment: string; place: string }) =>
  tx
    .selectFrom('contacts')
    .select(['place', listedText('record').as('record')])
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('place', '=', p.place)
    .where(holds(tx, 'search_text', p.fragment)),
);

/** What was found in a window, and up to where was looked where more may be in it. */
interface Looked {
  found: ListedRow[];
  cutAt: string | undefined;
}

/** Looks for a fragment in the texts of the contacts of a shelf, in order. */
export function lookingThrough(tx: ReadTransaction, shelf: Shelf, fragment: string): Looking {
  const { workspaceId, bookId, trashed } = shelf;
  const values = { workspaceId, bookId, trashed, fragment };

  /** Long texts are looked at one at a time, so that no statement reads many of them. */
  async function look({ after, limit }: Portion): Promise<Looked> {
    const rows = await inWindow(tx, { ...values, start: after, limit });
    const found: ListedRow[] = [];
    for (const { place, record } of rows) {
      found.push(...(record === null ? await atPlace(tx, { ...values, place }) : [{ place, record }]));
    }
    return { found, cutAt: rows.length === limit ? rows.at(-1)?.place : undefined };
  }

  async function all({ after, limit }: Portion): Promise<ListedRow[]> {
    const found: ListedRow[] = [];
    let start: string | undefined = after;
    while (found.length < limit && start !== undefined) {
      const part: Looked = await look({ after: start, limit: limit - found.length });
      found.push(...part.found);
      if (found.length < limit) start = part.cutAt ?? (await endOfWindow(tx, shelf, start));
    }
    return found;
  }

  return { next: async (portion) => (await look(portion)).found, all };
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
