import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { ROWS_A_PORTION, readInPortions } from '../../../storage/query/json-parameters.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { AddressBooks as BookRow } from '../../../storage/schema/tables.ts';
import type { ContactsOwner } from '../owner.ts';

export type { BookRow };

const booksOf = (tx: ReadTransaction, p: ContactsOwner) =>
  tx
    .selectFrom('address_books')
    .select([
      'workspace_id',
      'user_id',
      'id',
      'name',
      'description',
      'contact_count',
      'revision',
      'created_at',
      'updated_at',
    ])
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId);

const ownAfter = statement((tx, p: ContactsOwner & { after: string }) =>
  booksOf(tx, p).where('id', '>', p.after).orderBy('id').limit(sql.lit(ROWS_A_PORTION)),
);

/** All address books of a user in order of creation, in portions. */
export function listBooks(
  tx: ReadTransaction,
  { workspaceId, userId }: ContactsOwner,
): AsyncGenerator<readonly BookRow[]> {
  return readInPortions((last) => ownAfter(tx, { workspaceId, userId, after: last?.id ?? '' }));
}

const findOwn = statement((tx, p: ContactsOwner & { id: string }) => booksOf(tx, p).where('id', '=', p.id));

/** The address book of this user with this id; undefined when there is none. */
export async function findBook(
  tx: ReadTransaction,
  { workspaceId, userId }: ContactsOwner,
  id: string,
): Promise<BookRow | undefined> {
  const [row] = await findOwn(tx, { workspaceId, userId, id });
  return row;
}

export async function insertBook(tx: WriteTransaction, book: BookRow): Promise<void> {
  await tx.insertInto('address_books').values(book).execute();
}

export async function updateBook(tx: WriteTransaction, book: BookRow): Promise<void> {
  const { workspace_id, user_id, id, name, description, updated_at } = book;
  await tx
    .updateTable('address_books')
    .set({ name, description, updated_at })
    .where('workspace_id', '=', workspace_id)
    .where('user_id', '=', user_id)
    .where('id', '=', id)
    .execute();
}

const changeContacts = command(
  (tx: WriteTransaction, p: ContactsOwner & { bookId: string; added: number; revision: string }) =>
    tx
      .updateTable('address_books')
      .set({ contact_count: sql<number>`contact_count + ${p.added}`, revision: p.revision })
      .where('workspace_id', '=', p.workspaceId)
      .where('user_id', '=', p.userId)
      .where('id', '=', p.bookId),
);

/**
 * Updates the contact count of a book and gives it a new revision after its contacts changed. The revision is random:
 * a counter could repeat a value that a crash has undone.
 */
export async function recordContactChanges(
  tx: WriteTransaction,
  { workspaceId, userId }: ContactsOwner,
  bookId: string,
  added: number,
): Promise<void> {
  await changeContacts(tx, { workspaceId, userId, bookId, added, revision: randomUUID() });
}
