import { sql } from 'kysely';
import { holds } from '../../storage/contains.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import type { Portion } from '../../storage/gram-search.ts';
import { statement } from '../../storage/statement.ts';
import type { ListedRow, Shelf } from './listing-store.ts';

/** Sorts after every place: none has as many characters. */
const LAST = '\u{10ffff}'.repeat(1_000);

/** Contacts that one statement looks through. */
const WINDOW = 500;

const windowEnd = statement((tx, p: Shelf & { start: string }) =>
  tx
    .selectFrom('contacts')
    .select('place')
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('place', '>', p.start)
    .orderBy('place')
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

const inWindow = statement((tx, p: Shelf & { start: string; end: string; fragment: string; limit: number }) =>
  tx
    .selectFrom('contacts')
    .select(['place', 'record'])
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('place', '>', p.start)
    .where('place', '<=', p.end)
    .where(holds(tx, 'search_text', p.fragment))
    .orderBy('place')
    .limit(sql<number>`0 + ${p.limit}`),
);

/** The contacts of a window whose text contains a fragment, in order; without an end, of all that are left. */
function listWindow(
  tx: ReadTransaction,
  {
    end = LAST,
    ...search
  }: Shelf & { fragment: string; start: string; end: string | undefined; limit: number },
): Promise<ListedRow[]> {
  return inWindow(tx, { ...search, end });
}

/** The contacts of a shelf whose text contains a fragment that many have, in order, after a place. */
export async function lookThrough(
  tx: ReadTransaction,
  shelf: Shelf,
  fragment: string,
  { after, limit }: Portion,
): Promise<ListedRow[]> {
  const found: ListedRow[] = [];
  let start: string | undefined = after;
  while (found.length < limit && start !== undefined) {
    const end: string | undefined = await endOfWindow(tx, shelf, start);
    found.push(...(await listWindow(tx, { ...shelf, fragment, start, end, limit: limit - found.length })));
    start = end;
  }
  return found;
}
