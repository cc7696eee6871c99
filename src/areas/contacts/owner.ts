import type { ChangeType } from '../../contract/change-types.ts';
import { emitBatch } from '../../storage/changes.ts';
import type { WorkspaceLock, WriteTransaction } from '../../storage/database.ts';

/** The owner of address books and contacts: the scope of every statement of this area. A Principal is one. */
export interface ContactsOwner {
  workspaceId: string;
  userId: string;
}

/** The lock that every change of contacts takes, so that counts stay exact and UIDs unique. */
export function contactsLock({ workspaceId, userId }: ContactsOwner): WorkspaceLock {
  return { workspaceId, scope: `contacts ${userId}` };
}

/** Reports to the owner what has happened to an address book, or to a contact, of which `ids` also names the book. */
export function emitContactChange(
  tx: WriteTransaction,
  { workspaceId, userId }: ContactsOwner,
  type: ChangeType & `${'contact' | 'address_book'}.${string}`,
  ids: Readonly<Record<string, string>>,
): void {
  tx.emit({ workspaceId, type, viewers: [userId], ids });
}

/** As `emitContactChange`, for contacts of a book that are written together. */
export function emitContacts(
  tx: WriteTransaction,
  { workspaceId, userId }: ContactsOwner,
  type: ChangeType & `contact.${string}`,
  bookId: string,
  contactIds: readonly string[],
): void {
  const change = { workspaceId, type, viewers: [userId], ids: { address_book_id: bookId } };
  emitBatch(tx, change, 'contact_ids', contactIds);
}
