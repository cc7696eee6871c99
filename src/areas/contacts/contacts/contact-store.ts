import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { rowsReturned } from '../../../storage/query/insertion.ts';
import { jsonRows, textMember } from '../../../storage/query/json-rows.ts';
import { inPortions } from '../../../storage/query/long-rows.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { Contacts } from '../../../storage/schema/tables.ts';
import { recordContactChanges } from '../books/book-store.ts';
import type { ContactsOwner } from '../owner.ts';
import { indexChanges } from '../search/search-store.ts';

/** A contact without the number that the database assigns. */
export type ContactRow = Omit<Contacts, 'number'>;

/** A contact before and after a change; a new contact has no `before`. */
export interface ContactChange {
  before: ContactRow | undefined;
  after: ContactRow;
}

const COLUMNS = [
  'workspace_id',
  'user_id',
  'id',
  'address_book_id',
  'uid',
  'place',
  'search_text',
  'record',
  'trashed',
  'is_named',
] as const;

const findById = statement((tx, p: ContactsOwner & { id: string }) =>
  tx
    .selectFrom('contacts')
    .select(COLUMNS)
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('id', '=', p.id),
);

/** The contact of this user with this id, in the trash or not. */
export async function findContact(
  tx: ReadTransaction,
  { workspaceId, userId }: ContactsOwner,
  id: string,
): Promise<ContactRow | undefined> {
  const [row] = await findById(tx, { workspaceId, userId, id });
  return row;
}

interface UidSearch {
  workspaceId: string;
  bookId: string;
  uids: string;
}

/**
 * A lateral join with LIMIT 1 forces one index lookup per UID: for a plain join, PostgreSQL may read the whole book for
 * each UID as long as it has no statistics.
 */
const findWithUids = statement((tx, p: UidSearch) => {
  const withUid = tx
    .selectFrom('contacts')
    .select(COLUMNS)
    .where('workspace_id', '=', p.workspaceId)
    .where('address_book_id', '=', p.bookId);
  const uids = tx.selectFrom(jsonRows(tx, p.uids)).select(textMember(0).as('wanted'));
  if (tx.engine === 'sqlite') return withUid.where('uid', 'in', uids);
  const found = withUid.where('uid', '=', sql.ref<string>('u.wanted')).limit(sql.lit(1));
  return tx
    .selectFrom(uids.as('u'))
    .innerJoinLateral(found.as('c'), (join) => join.onTrue())
    .select(COLUMNS.map((name) => `c.${name}` as const));
});

/** UIDs of one statement: it reads all its contacts at once, however long they are. */
const UIDS_A_STATEMENT = 50;

/** The contacts of a book with these UIDs, in the trash or not. */
export async function findContactsByUid(
  tx: ReadTransaction,
  { workspaceId }: ContactsOwner,
  bookId: string,
  uids: readonly string[],
): Promise<ContactRow[]> {
  const found: ContactRow[] = [];
  for (let i = 0; i < uids.length; i += UIDS_A_STATEMENT) {
    const some = uids.slice(i, i + UIDS_A_STATEMENT).map((uid) => [uid]);
    found.push(...(await findWithUids(tx, { workspaceId, bookId, uids: JSON.stringify(some) })));
  }
  return found;
}

const listAfterUid = statement(
  (tx, p: { workspaceId: string; bookId: string; after: string; limit: number }) =>
    tx
      .selectFrom('contacts')
      .select(COLUMNS)
      .where('workspace_id', '=', p.workspaceId)
      .where('address_book_id', '=', p.bookId)
      .where('uid', '>', p.after)
      .orderBy('uid')
      .limit(p.limit),
);

/** The contacts of a book, in the trash or not, in order of UID: this order never changes. */
export function listContactsByUid(
  tx: ReadTransaction,
  { workspaceId }: ContactsOwner,
  bookId: string,
  after: string,
  limit: number,
): Promise<ContactRow[]> {
  return listAfterUid(tx, { workspaceId, bookId, after, limit });
}

const sizesAfterUid = statement(
  (tx, p: { workspaceId: string; bookId: string; after: string; limit: number }) =>
    tx
      .selectFrom('contacts')
      .select(sql<number>`octet_length(record)`.as('size'))
      .where('workspace_id', '=', p.workspaceId)
      .where('address_book_id', '=', p.bookId)
      .where('uid', '>', p.after)
      .orderBy('uid')
      .limit(p.limit),
);

/** The approximate sizes, in bytes, of the contacts that listContactsByUid lists. */
export function listContactSizes(
  tx: ReadTransaction,
  { workspaceId }: ContactsOwner,
  bookId: string,
  after: string,
  limit: number,
): Promise<{ size: number }[]> {
  return sizesAfterUid(tx, { workspaceId, bookId, after, limit });
}

/**
 * Limits of one statement, after which other requests get a turn: some contacts are a thousand times longer than most.
 */
const A_STATEMENT = { rows: 500, characters: 512 * 1024 };

const saveRows = rowsReturned('contacts', COLUMNS, (insertion, tx) =>
  insertion
    .onConflict((conflict) =>
      conflict.columns(tx.engine === 'sqlite' ? ['id'] : ['workspace_id', 'id']).doUpdateSet(({ ref }) => ({
        address_book_id: ref('excluded.address_book_id'),
        uid: ref('excluded.uid'),
        trashed: ref('excluded.trashed'),
        is_named: ref('excluded.is_named'),
        place: ref('excluded.place'),
        search_text: ref('excluded.search_text'),
        record: ref('excluded.record'),
      })),
    )
    .returning(['id', 'number']),
);

/**
 * Stores contacts and updates the search index and the counts and revisions of their books. The caller holds the
 * contacts lock. Calls `wake` after the commit if contacts were queued for indexing.
 */
export async function saveContacts(
  tx: WriteTransaction,
  owner: ContactsOwner,
  changes: readonly ContactChange[],
  wake: () => void,
): Promise<void> {
  const numbers = new Map<string, number>();
  const lengthOf = (row: ContactRow) => row.record.length + row.search_text.length;
  const changed = changes.map(({ after }) => after);
  for await (const rows of inPortions(changed, lengthOf, A_STATEMENT)) {
    const values = rows.map((row) => COLUMNS.map((column) => row[column]));
    for (const { id, number } of await saveRows(tx, values)) numbers.set(id, number);
  }
  if (await indexChanges(tx, owner, changes, numbers)) tx.afterCommit(wake);
  for (const [bookId, added] of countChanges(changes)) await recordContactChanges(tx, owner, bookId, added);
}

/** By book, the change of its number of contacts. */
function countChanges(changes: readonly ContactChange[]): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (row: ContactRow | undefined, contacts: number) => {
    if (!row) return;
    const added = row.trashed ? 0 : contacts;
    counts.set(row.address_book_id, (counts.get(row.address_book_id) ?? 0) + added);
  };
  for (const { before, after } of changes) {
    count(before, -1);
    count(after, 1);
  }
  return counts;
}
