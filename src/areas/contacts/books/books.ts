import { randomUUID } from 'node:crypto';
import { notFound } from '../../../contract/errors.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { newId } from '../../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { gatherInTurns } from '../../../turns/in-turns.ts';
import { type ContactsOwner, contactsLock, emitContactChange } from '../owner.ts';
import { type AddressBook, AddressBookChanges, NewAddressBook } from '../schema.ts';
import { type BookRow, findBook, insertBook, listBooks, updateBook as storeBook } from './book-store.ts';

/** "Each user starts with one." */
const FIRST_BOOK = 'Contacts';

/** In order of creation. */
export function listAddressBooks(tx: ReadTransaction, owner: ContactsOwner): Promise<AddressBook[]> {
  return gatherInTurns(listBooks(tx, owner), bookRecord);
}

/** Creates the address book that a new user starts with. */
export async function createFirstBook(tx: WriteTransaction, owner: ContactsOwner): Promise<void> {
  await createBook(tx, owner, { name: FIRST_BOOK });
}

export async function createBook(
  tx: WriteTransaction,
  owner: ContactsOwner,
  given: NewAddressBook,
): Promise<AddressBook> {
  requireValues(NewAddressBook, given);
  const now = Date.now();
  const row: BookRow = {
    workspace_id: owner.workspaceId,
    user_id: owner.userId,
    id: newId('abk'),
    name: given.name,
    description: given.description ?? '',
    contact_count: 0,
    revision: randomUUID(),
    created_at: now,
    updated_at: now,
  };
  await insertBook(tx, row);
  emitContactChange(tx, owner, 'address_book.created', { address_book_id: row.id });
  return bookRecord(row);
}

/** Replaces the given fields; no effect if the book has them already. Throws ApiError not_found. */
export async function updateBook(
  tx: WriteTransaction,
  owner: ContactsOwner,
  id: string,
  changes: AddressBookChanges,
): Promise<AddressBook> {
  requireValues(AddressBookChanges, changes);
  await tx.lock(contactsLock(owner));
  const before = await getBook(tx, owner, id);
  const { name = before.name, description = before.description } = changes;
  if (name === before.name && description === before.description) return bookRecord(before);
  const row = { ...before, name, description, updated_at: Date.now() };
  await storeBook(tx, row);
  emitContactChange(tx, owner, 'address_book.changed', { address_book_id: id });
  return bookRecord(row);
}

/** The address book of this user with this id. Throws ApiError not_found. */
export async function getBook(tx: ReadTransaction, owner: ContactsOwner, id: string): Promise<BookRow> {
  const row = await findBook(tx, owner, id);
  if (!row) throw notFound('address_book', id);
  return row;
}

function bookRecord(row: BookRow): AddressBook {
  const { id, name, description, contact_count } = row;
  return {
    id,
    name,
    description,
    contact_count: Number(contact_count),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
