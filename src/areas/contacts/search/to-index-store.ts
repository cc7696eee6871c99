import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { rowsInsertion } from '../../../storage/query/insertion.ts';
import { arraysIn, integerAt, integersIn, textAt } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { ContactsToIndex } from '../../../storage/schema/tables.ts';
import type { Searched } from '../../../storage/search/gram-entries.ts';
import type { Shelf } from './listing-store.ts';

/**
 * Bytes of what is searched of a contact that is in the search index: each takes an entry there, and as many as a
 * transaction writes within some ten milliseconds. Hardly anybody has more; who does is found by looking at the text itself.
 */
export const LONGEST_INDEXED = 4_000;

/** Whether a contact of which this is searched is not in the index. */
export function isLeftOut(searchText: string): boolean {
  return Buffer.byteLength(searchText) > LONGEST_INDEXED;
}

/** The same of a column of texts, which are not read for it. The index contacts_left_out has those contacts. */
export function isTextLeftOut(column: string): RawBuilder<boolean> {
  return sql<boolean>`octet_length(${sql.ref(column)}) > ${sql.lit(LONGEST_INDEXED)}`;
}

const COLUMNS = [
  'workspace_id',
  'user_id',
  'address_book_id',
  'trashed',
  'number',
  'place',
  'search_text',
] as const;

const insertNotes = rowsInsertion('contacts_to_index', COLUMNS, (insertion) =>
  insertion.onConflict((conflict) =>
    conflict.columns(['workspace_id', 'address_book_id', 'trashed', 'number']).doNothing(),
  ),
);

/** Notes that the index is to follow. What was noted first of a contact on a shelf stands: it is what the index has. */
export async function noteToIndex(tx: WriteTransaction, notes: readonly ContactsToIndex[]): Promise<void> {
  await insertNotes(
    tx,
    notes.map((note) => COLUMNS.map((column) => note[column])),
    {},
  );
}

const notesAmong = statement((tx, p: { workspaceId: string; members: string }) =>
  tx
    .selectFrom(arraysIn(tx, p.members, 'm'))
    .innerJoin('contacts_to_index as n', (join) =>
      join
        .on('n.workspace_id', '=', p.workspaceId)
        .onRef('n.address_book_id', '=', textAt('m', 0))
        .onRef('n.trashed', '=', integerAt('m', 1))
        .onRef('n.number', '=', integerAt('m', 2)),
    )
    .select('n.number')
    .limit(sql.lit(1)),
);

/** A contact that is or was on a shelf. */
type Member = Pick<ContactsToIndex, 'address_book_id' | 'trashed' | 'number'>;

/** Whether the index has still to follow one of these. */
export async function areNoted(
  tx: ReadTransaction,
  workspaceId: string,
  members: readonly Member[],
): Promise<boolean> {
  if (members.length === 0) return false;
  const keys = members.map(({ address_book_id, trashed, number }) => [address_book_id, trashed, number]);
  return (await notesAmong(tx, { workspaceId, members: JSON.stringify(keys) })).length > 0;
}

const noteOn = statement((tx, p: Shelf) =>
  tx
    .selectFrom('contacts_to_index')
    .select('number')
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    // Else PostgreSQL may read the whole table to find any of many.
    .orderBy('number')
    .limit(sql.lit(1)),
);

const leftOutOf = statement((tx, p: Shelf) =>
  tx
    .selectFrom('contacts')
    .select('number')
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where(isTextLeftOut('search_text'))
    // Only one index has them in this order.
    .orderBy(sql`octet_length(search_text)`)
    .limit(sql.lit(1)),
);

/** Whether the index has all that is searched on a shelf, and nothing else. */
export async function isIndexed(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Shelf,
): Promise<boolean> {
  const shelf = { workspaceId, bookId, trashed };
  return (await noteOn(tx, shelf)).length === 0 && (await leftOutOf(tx, shelf)).length === 0;
}

/** A shelf, and whose it is. */
export interface OwnShelf extends Shelf {
  userId: string;
}

/** Comes before every shelf. */
export const BEFORE_ALL: OwnShelf = { workspaceId: '', userId: '', bookId: '', trashed: 0 };

const shelfAfter = statement((tx, p: Shelf) =>
  tx
    .selectFrom('contacts_to_index')
    .select([
      'workspace_id as workspaceId',
      'user_id as userId',
      'address_book_id as bookId',
      sql<number>`trashed`.as('trashed'),
    ])
    .where(
      sql<boolean>`(workspace_id, address_book_id, trashed) > (${p.workspaceId}, ${p.bookId}, ${p.trashed})`,
    )
    .orderBy('workspace_id')
    .orderBy('address_book_id')
    .orderBy('trashed')
    .limit(sql.lit(1)),
);

/** The next shelf that the index has to follow, of everybody's. */
export async function nextShelfToIndex(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Shelf,
): Promise<OwnShelf | undefined> {
  const [row] = await shelfAfter(tx, { workspaceId, bookId, trashed });
  return row;
}

const firstNotes = statement((tx, p: Shelf & { limit: number }) =>
  tx
    .selectFrom('contacts_to_index')
    .select(['number', 'place', 'search_text'])
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .orderBy('number')
    .limit(p.limit),
);

/** What the index has of a contact that it has to follow. */
export type Note = Pick<ContactsToIndex, 'number' | 'place' | 'search_text'>;

/** The first notes of a shelf. */
export function listNotes(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Shelf,
  limit: number,
): Promise<Note[]> {
  return firstNotes(tx, { workspaceId, bookId, trashed, limit });
}

const numberedOn = statement((tx, p: Shelf & { numbers: string }) => {
  const numbers = tx.selectFrom(integersIn(tx, p.numbers, 'n')).select('n.value');
  const contact = tx
    .selectFrom('contacts')
    .select(['number', 'place', 'search_text'])
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where(sql<boolean>`not ${isTextLeftOut('search_text')}`);
  if (tx.engine === 'sqlite') return contact.where('number', 'in', numbers);
  // As in findWithUids: whatever PostgreSQL knows of the table, each is looked up.
  return tx
    .selectFrom(numbers.as('n'))
    .innerJoinLateral(
      contact.where('number', '=', sql.ref<number>('n.value')).limit(sql.lit(1)).as('c'),
      (join) => join.onTrue(),
    )
    .select(['c.number', 'c.place', 'c.search_text']);
});

/** What the index is to have of those of these contacts that are on a shelf, but for those that it leaves out. */
export async function findToIndex(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Shelf,
  numbers: readonly number[],
): Promise<Map<number, Searched>> {
  const found = await numberedOn(tx, { workspaceId, bookId, trashed, numbers: JSON.stringify(numbers) });
  return new Map(found.map((contact) => [contact.number, contact]));
}

const dropNotes = statement((tx: WriteTransaction, p: Shelf & { numbers: string }) =>
  tx
    .deleteFrom('contacts_to_index')
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'n')).select('n.value')),
);

/** Says that the index has followed these contacts on a shelf. */
export async function dropFollowed(
  tx: WriteTransaction,
  { workspaceId, bookId, trashed }: Shelf,
  numbers: readonly number[],
): Promise<void> {
  await dropNotes(tx, { workspaceId, bookId, trashed, numbers: JSON.stringify(numbers) });
}
