import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { gramEntries, type Searched, type ShelfChange } from '../../storage/gram-entries.ts';
import type { GramIndex } from '../../storage/gram-index.ts';
import { gramSearch, type Portion } from '../../storage/gram-search.ts';
import type { Contacts } from '../../storage/tables.ts';
import type { ListedRow, Shelf } from './listing-store.ts';
import { lookingThrough } from './window-store.ts';

const INDEX: GramIndex = {
  grams: 'contact_grams',
  shelf: { workspace_id: 'text', address_book_id: 'text', trashed: 'bigint' },
  items: 'contacts',
  matching: [],
  ordered: ['address_book_id', 'trashed'],
};

const search = gramSearch(INDEX);
const changeEntries = gramEntries(INDEX);

/** What of a contact says where and how it is searched. */
type SearchedRow = Pick<
  Contacts,
  'workspace_id' | 'id' | 'address_book_id' | 'trashed' | 'place' | 'search_text'
>;

/** The contacts of a shelf whose searched text contains the fragment (folded, not empty), in order, after a place. */
export function searchShelf(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Shelf,
  fragment: string,
  portion: Portion,
): Promise<ListedRow[]> {
  const shelf = { workspaceId, bookId, trashed };
  const values = { workspace_id: workspaceId, address_book_id: bookId, trashed };
  return search(tx, values, fragment, portion, lookingThrough(tx, shelf, fragment));
}

/** Follows changes of contacts in the search index, who have these numbers by id; a new one was nothing before. */
export async function changeSearched(
  tx: WriteTransaction,
  changes: readonly { before: SearchedRow | undefined; after: SearchedRow }[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  const shelves = new Map<string, { row: SearchedRow; changes: ShelfChange[] }>();
  const add = (row: SearchedRow, change: ShelfChange) => {
    const found = shelves.get(shelfOf(row)) ?? { row, changes: [] };
    shelves.set(shelfOf(row), found);
    found.changes.push(change);
  };
  for (const { before, after } of changes) {
    const stays = before && shelfOf(before) === shelfOf(after);
    if (before && !stays) add(before, { before });
    add(after, { before: stays ? before : undefined, after: searched(after, numbers) });
  }
  for (const { row, changes } of shelves.values()) {
    const { workspace_id, address_book_id, trashed } = row;
    await changeEntries(tx, { workspace_id, address_book_id, trashed }, changes);
  }
}

function searched({ id, place, search_text }: SearchedRow, numbers: ReadonlyMap<string, number>): Searched {
  const number = numbers.get(id);
  if (number === undefined) throw new TypeError(`The contact ${id} has no number`);
  return { number, place, search_text };
}

function shelfOf({ address_book_id, trashed }: SearchedRow): string {
  return `${address_book_id} ${trashed}`;
}
