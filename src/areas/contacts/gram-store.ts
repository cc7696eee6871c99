import { sql } from 'kysely';
import type { WriteTransaction } from '../../storage/database.ts';
import { isAmong, jsonRows, textMember } from '../../storage/json-rows.ts';
import { statement } from '../../storage/statement.ts';
import type { Contacts as ContactRow } from '../../storage/tables.ts';
import { gramsOf } from './grams.ts';

/** The part of the search index that one search reads. */
type Shelf = Pick<ContactRow, 'workspace_id' | 'address_book_id' | 'trashed'>;

/** A gram and the place of a contact that has it. */
type Entry = [gram: string, place: string];

interface Entries {
  workspaceId: string;
  bookId: string;
  trashed: number;
  entries: string;
}

const insertEntries = statement((tx: WriteTransaction, p: Entries) =>
  tx
    .insertInto('contact_grams')
    .columns(['workspace_id', 'address_book_id', 'trashed', 'gram', 'place'])
    .expression(
      tx
        .selectFrom(jsonRows(tx, p.entries))
        .select([
          sql<string>`cast(${p.workspaceId} as text)`.as('workspace_id'),
          sql<string>`cast(${p.bookId} as text)`.as('address_book_id'),
          sql<number>`cast(${p.trashed} as bigint)`.as('trashed'),
          textMember(0).as('gram'),
          textMember(1).as('place'),
        ]),
    ),
);

const deleteEntries = statement(
  (tx: WriteTransaction, p: Omit<Entries, 'entries'> & { place: string; grams: string }) =>
    tx
      .deleteFrom('contact_grams')
      .where('workspace_id', '=', p.workspaceId)
      .where('address_book_id', '=', p.bookId)
      .where('trashed', '=', p.trashed)
      .where(isAmong(tx, 'gram', p.grams))
      .where('place', '=', p.place),
);

/** Follows changes of contacts in the search index, as far as what is searched has changed. */
export async function changeGrams(
  tx: WriteTransaction,
  changes: readonly { before: ContactRow | undefined; after: ContactRow }[],
): Promise<void> {
  const come = new Batches();
  for (const { before, after } of changes) {
    const old = before && gramsOf(before.search_text);
    const grams = gramsOf(after.search_text);
    const kept = before && isSamePlace(before, after) ? old : undefined;
    if (before && old) await removeGrams(tx, before, kept ? old.difference(grams) : old);
    come.add(after, kept ? grams.difference(kept) : grams);
  }
  for (const batch of come.batches()) await insertEntries(tx, batch);
}

async function removeGrams(tx: WriteTransaction, row: ContactRow, grams: ReadonlySet<string>): Promise<void> {
  if (grams.size === 0) return;
  await deleteEntries(tx, {
    workspaceId: row.workspace_id,
    bookId: row.address_book_id,
    trashed: row.trashed,
    place: row.place,
    grams: JSON.stringify([...grams].map((gram) => [gram])),
  });
}

function isSamePlace(a: ContactRow, b: ContactRow): boolean {
  return a.address_book_id === b.address_book_id && a.trashed === b.trashed && a.place === b.place;
}

/** Between statements others have their turn: none may take long, even where every entry is on another page. */
const ENTRIES_A_STATEMENT = 2_000;

/** Entries by shelf, in the order of the index: neighbours are written to the same page while it is at hand. */
class Batches {
  readonly #shelves = new Map<string, { shelf: Shelf; entries: Entry[] }>();

  add(row: ContactRow, grams: ReadonlySet<string>): void {
    const { workspace_id, address_book_id, trashed, place } = row;
    const key = `${address_book_id} ${trashed}`;
    const found = this.#shelves.get(key) ?? {
      shelf: { workspace_id, address_book_id, trashed },
      entries: [],
    };
    this.#shelves.set(key, found);
    for (const gram of grams) found.entries.push([gram, place]);
  }

  *batches(): Generator<Entries> {
    for (const { shelf, entries } of this.#shelves.values()) {
      entries.sort(byGramAndPlace);
      for (let i = 0; i < entries.length; i += ENTRIES_A_STATEMENT)
        yield {
          workspaceId: shelf.workspace_id,
          bookId: shelf.address_book_id,
          trashed: shelf.trashed,
          entries: JSON.stringify(entries.slice(i, i + ENTRIES_A_STATEMENT)),
        };
    }
  }
}

function byGramAndPlace([a, placeA]: Entry, [b, placeB]: Entry): number {
  if (a === b) return placeA < placeB ? -1 : 1;
  return a < b ? -1 : 1;
}
