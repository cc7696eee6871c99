import { sql } from 'kysely';
import { holds } from '../../storage/contains.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import type { Looking, Portion } from '../../storage/gram-search.ts';
import { listedText } from '../../storage/long-rows.ts';
import { statement } from '../../storage/statement.ts';
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

const inWindow = statement((tx, p: Shelf & { fragment: string; start: string; limit: number }) =>
  tx
    .selectFrom(contactsFrom(tx, p).select(['place', 'record', 'search_text']).limit(sql.lit(WINDOW)).as('w'))
    .select(['w.place', listedText('w.record').as('record')])
    .where(holds(tx, 'w.search_text', p.fragment))
    .orderBy('w.place')
    .limit(sql<number>`0 + ${p.limit}`),
);

/** Looks for a fragment in the texts of the contacts of a shelf, in order. */
export function lookingThrough(tx: ReadTransaction, shelf: Shelf, fragment: string): Looking {
  const next = ({ after, limit }: Portion): Promise<ListedRow[]> =>
    inWindow(tx, { ...shelf, fragment, start: after, limit });

  async function all({ after, limit }: Portion): Promise<ListedRow[]> {
    const found: ListedRow[] = [];
    let start: string | undefined = after;
    while (found.length < limit && start !== undefined) {
      found.push(...(await next({ after: start, limit: limit - found.length })));
      if (found.length < limit) start = await endOfWindow(tx, shelf, start);
    }
    return found;
  }

  return { next, all };
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
