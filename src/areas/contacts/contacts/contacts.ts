import { JsonText } from '../../../contract/answers.ts';
import { notFound } from '../../../contract/errors.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { refuse } from '../../../contract/validation.ts';
import { newId } from '../../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { getBook } from '../books/books.ts';
import { type ContactsOwner, contactsLock, emitContactChange } from '../owner.ts';
import { ContactChanges, NewContact } from '../schema.ts';
import { changedFields, contactRow, namingProblems, rowWith } from './contact-row.ts';
import { type ContactRow, findContact, findContactsByUid, saveContacts } from './contact-store.ts';

/** Includes contacts in the trash. Throws ApiError not_found. */
export async function getContact(tx: ReadTransaction, owner: ContactsOwner, id: string): Promise<JsonText> {
  return recordJson(await getRow(tx, owner, id));
}

/** Throws ApiError not_found for the address book. */
export async function createContact(
  tx: WriteTransaction,
  owner: ContactsOwner,
  given: NewContact,
  wake: () => void,
): Promise<JsonText> {
  requireValues(NewContact, given);
  await tx.lock(contactsLock(owner));
  await getBook(tx, owner, given.address_book_id);
  const row = await contactRow(newIdentity(owner, given.address_book_id), given);
  await saveContacts(tx, owner, [{ before: undefined, after: row }], wake);
  emitContactChange(tx, owner, 'contact.created', idsOf(row));
  return recordJson(row);
}

/** The identity of a new contact; its UID is its id unless a vCard states one. */
export function newIdentity({ workspaceId, userId }: ContactsOwner, bookId: string, uid?: string) {
  const id = newId('con');
  const now = new Date().toISOString();
  return {
    workspace_id: workspaceId,
    user_id: userId,
    id,
    address_book_id: bookId,
    uid: uid ?? id,
    trashed: 0,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * Replaces the given fields; no effect if the contact has them already. Throws ApiError not_found, and validation_failed
 * when no field can name the contact.
 */
export async function updateContact(
  tx: WriteTransaction,
  owner: ContactsOwner,
  id: string,
  changes: ContactChanges,
  wake: () => void,
): Promise<JsonText> {
  requireValues(ContactChanges, changes);
  await tx.lock(contactsLock(owner));
  const before = await getRow(tx, owner, id);
  const fields = changedFields(before, changes);
  refuse(namingProblems(fields));
  const row = await moveRow(tx, owner, before, changes.address_book_id ?? before.address_book_id);
  const after = await rowWith(row, fields);
  if (!after) return recordJson(before);
  await saveContacts(tx, owner, [{ before, after }], wake);
  emitContactChange(tx, owner, 'contact.changed', idsOf(after));
  return recordJson(after);
}

/** Moves a contact to the trash; no effect if it is there already. Throws ApiError not_found. */
export async function trashContact(
  tx: WriteTransaction,
  owner: ContactsOwner,
  id: string,
  wake: () => void,
): Promise<void> {
  await setTrashed(tx, owner, id, 1, wake);
}

/** Restores a contact from the trash; no effect if it is not there. Throws ApiError not_found. */
export async function restoreContact(
  tx: WriteTransaction,
  owner: ContactsOwner,
  id: string,
  wake: () => void,
): Promise<JsonText> {
  return recordJson(await setTrashed(tx, owner, id, 0, wake));
}

async function setTrashed(
  tx: WriteTransaction,
  owner: ContactsOwner,
  id: string,
  trashed: number,
  wake: () => void,
): Promise<ContactRow> {
  await tx.lock(contactsLock(owner));
  const before = await getRow(tx, owner, id);
  const after = { ...before, trashed };
  if (before.trashed === trashed) return before;
  await saveContacts(tx, owner, [{ before, after }], wake);
  emitContactChange(tx, owner, trashed ? 'contact.trashed' : 'contact.restored', idsOf(after));
  return after;
}

/**
 * Moves a row to another book. UIDs are unique in a book: if the other book has the UID, the contact gets a new one.
 */
async function moveRow(
  tx: WriteTransaction,
  owner: ContactsOwner,
  row: ContactRow,
  bookId: string,
): Promise<ContactRow> {
  if (bookId === row.address_book_id) return row;
  await getBook(tx, owner, bookId);
  const sameUid = await findContactsByUid(tx, owner, bookId, [row.uid]);
  return { ...row, address_book_id: bookId, uid: sameUid.length > 0 ? newId('con') : row.uid };
}

async function getRow(tx: ReadTransaction, owner: ContactsOwner, id: string): Promise<ContactRow> {
  const row = await findContact(tx, owner, id);
  if (!row) throw notFound('contact', id);
  return row;
}

/** As a change names it: in the book where it is now. */
function idsOf({ address_book_id, id }: ContactRow) {
  return { address_book_id, contact_id: id };
}

function recordJson({ record }: ContactRow): JsonText {
  return new JsonText(record);
}
