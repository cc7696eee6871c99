import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { gramEntries, type ShelfChange } from '../../storage/gram-entries.ts';
import type { GramIndex } from '../../storage/gram-index.ts';
import { gramSearch, type Portion } from '../../storage/gram-search.ts';
import type { Contacts as ContactRow } from '../../storage/tables.ts';
import type { ListedRow, Shelf } from './listing-store.ts';
import { lookingThrough } from './window-store.ts';

const INDEX: GramIndex = {
  grams: 'contact_grams',
  shelf: { workspace_id: 'text', address_book_id: 'text', trashed: 'bigint' },
  items: 'contacts',
  matching: ['workspace_id', 'address_book_id', 'trashed'],
  ordered: ['address_book_id', 'trashed'],
};

const search = gramSearch(INDEX);
const changeEntries = gramEntries(INDEX);

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

/** Follows changes of contacts in the search index; a new one was nothing before. */
export async function changeSearched(
  tx: WriteTransaction,
  changes: readonly { before: ContactRow | undefined; after: ContactRow }[],
): Promise<void> {
  const shelves = new Map<string, { row: ContactRow; changes: ShelfChange[] }>();
  const add = (row: ContactRow, change: ShelfChange) => {
    const found = shelves.get(shelfOf(row)) ?? { row, changes: [] };
    shelves.set(shelfOf(row), found);
    found.changes.push(change);
  };
  for (const { before, after } of changes) {
    const stays = before && shelfOf(before) === shelfOf(after);
    if (before && !stays) add(before, { before });
    add(after, { before: stays ? before : undefined, after });
  }
  for (const { row, changes } of shelves.values()) {
    const { workspace_id, address_book_id, trashed } = row;
    await changeEntries(tx, { workspace_id, address_book_id, trashed }, changes);
  }
}

function shelfOf({ address_book_id, trashed }: ContactRow): string {
  return `${address_book_id} ${trashed}`;
}
