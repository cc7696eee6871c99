import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { isAtHome } from '../../../storage/moves.ts';
import { rowsInsertion } from '../../../storage/query/insertion.ts';
import { arraysIn, integerAt, integersIn, textAt } from '../../../storage/query/json-parameters.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { ContactsToIndex } from '../../../storage/schema/tables.ts';
import type { Searched } from '../../../storage/search/gram-entries.ts';
import type { Partition } from './listing-store.ts';

/**
 * Maximum bytes of search text of an indexed contact. Each byte takes up to one index entry; a transaction writes so
 * many within some ten milliseconds. Hardly any contact has more; those are found by a scan of their text.
 */
export const LONGEST_INDEXED = 4_000;

/** Whether a contact with this search text is not indexed. */
export function isTooLongToIndex(searchText: string): boolean {
  return Buffer.byteLength(searchText) > LONGEST_INDEXED;
}

/** The same condition in SQL; it does not read the text. The partial index contacts_left_out has these contacts. */
export function isColumnTooLongToIndex(column: string): RawBuilder<boolean> {
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

const insertQueueRows = rowsInsertion('contacts_to_index', COLUMNS, (insertion) =>
  insertion.onConflict((conflict) =>
    conflict.columns(['workspace_id', 'address_book_id', 'trashed', 'number']).doNothing(),
  ),
);

/**
 * Queues contacts for indexing. The first row of a contact in a partition is kept: it has the state that the index has.
 */
export async function queueForIndexing(
  tx: WriteTransaction,
  rows: readonly ContactsToIndex[],
): Promise<void> {
  await insertQueueRows(
    tx,
    rows.map((row) => COLUMNS.map((column) => row[column])),
    {},
  );
}

const queuedAmong = statement((tx, p: { workspaceId: string; members: string }) =>
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

/** A contact that is or was in a partition. */
type Member = Pick<ContactsToIndex, 'address_book_id' | 'trashed' | 'number'>;

/** Whether any of these contacts is queued. */
export async function isAnyQueued(
  tx: ReadTransaction,
  workspaceId: string,
  members: readonly Member[],
): Promise<boolean> {
  if (members.length === 0) return false;
  const keys = members.map(({ address_book_id, trashed, number }) => [address_book_id, trashed, number]);
  return (await queuedAmong(tx, { workspaceId, members: JSON.stringify(keys) })).length > 0;
}

const queuedIn = statement((tx, p: Partition) =>
  tx
    .selectFrom('contacts_to_index')
    .select('number')
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    // Without an order, PostgreSQL may scan the whole table.
    .orderBy('number')
    .limit(sql.lit(1)),
);

const tooLongIn = statement((tx, p: Partition) =>
  tx
    .selectFrom('contacts')
    .select('number')
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where(isColumnTooLongToIndex('search_text'))
    // The order makes both engines use the partial index: no other has it.
    .orderBy(sql`octet_length(search_text)`)
    .limit(sql.lit(1)),
);

/** Whether the index of a partition is complete and up to date. */
export async function isIndexed(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Partition,
): Promise<boolean> {
  const partition = { workspaceId, bookId, trashed };
  return (await queuedIn(tx, partition)).length === 0 && (await tooLongIn(tx, partition)).length === 0;
}

/** A partition with its owner. */
export interface OwnedPartition extends Partition {
  userId: string;
}

/** Sorts before every partition. */
export const BEFORE_ALL: OwnedPartition = { workspaceId: '', userId: '', bookId: '', trashed: 0 };

const partitionAfter = statement((tx, p: Partition) =>
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
    .where(isAtHome('contacts_to_index.workspace_id'))
    .orderBy('workspace_id')
    .orderBy('address_book_id')
    .orderBy('trashed')
    .limit(sql.lit(1)),
);

/** The next partition of any user that has queued contacts. */
export async function nextPartitionToIndex(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Partition,
): Promise<OwnedPartition | undefined> {
  const [row] = await partitionAfter(tx, { workspaceId, bookId, trashed });
  return row;
}

const firstQueued = statement((tx, p: Partition & { limit: number }) =>
  tx
    .selectFrom('contacts_to_index')
    .select(['number', 'place', 'search_text'])
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .orderBy('number')
    .limit(p.limit),
);

/** The indexed state of a queued contact. */
export type QueuedContact = Pick<ContactsToIndex, 'number' | 'place' | 'search_text'>;

/** The first queued contacts of a partition. */
export function listQueued(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Partition,
  limit: number,
): Promise<QueuedContact[]> {
  return firstQueued(tx, { workspaceId, bookId, trashed, limit });
}

const numberedIn = statement((tx, p: Partition & { numbers: string }) => {
  const numbers = tx.selectFrom(integersIn(tx, p.numbers, 'n')).select('n.value');
  const contact = tx
    .selectFrom('contacts')
    .select(['number', 'place', 'search_text'])
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where(sql<boolean>`not ${isColumnTooLongToIndex('search_text')}`);
  if (tx.engine === 'sqlite') return contact.where('number', 'in', numbers);
  // As in findWithUids: forces one index lookup per number, whatever statistics PostgreSQL has.
  return tx
    .selectFrom(numbers.as('n'))
    .innerJoinLateral(
      contact.where('number', '=', sql.ref<number>('n.value')).limit(sql.lit(1)).as('c'),
      (join) => join.onTrue(),
    )
    .select(['c.number', 'c.place', 'c.search_text']);
});

/** The state to index of those contacts that are in the partition and not too long. */
export async function findTextsToIndex(
  tx: ReadTransaction,
  { workspaceId, bookId, trashed }: Partition,
  numbers: readonly number[],
): Promise<Map<number, Searched>> {
  const found = await numberedIn(tx, { workspaceId, bookId, trashed, numbers: JSON.stringify(numbers) });
  return new Map(found.map((contact) => [contact.number, contact]));
}

const deleteQueueRows = command((tx: WriteTransaction, p: Partition & { numbers: string }) =>
  tx
    .deleteFrom('contacts_to_index')
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId)
    .where('trashed', '=', p.trashed)
    .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'n')).select('n.value')),
);

/** Removes indexed contacts of a partition from the queue. */
export async function removeQueued(
  tx: WriteTransaction,
  { workspaceId, bookId, trashed }: Partition,
  numbers: readonly number[],
): Promise<void> {
  await deleteQueueRows(tx, { workspaceId, bookId, trashed, numbers: JSON.stringify(numbers) });
}
