import type { WriteTransaction } from '../../../storage/database.ts';
import { sortInTurns } from '../../../turns/in-turns.ts';
import { giveWay, isTurnOver, nextTurn } from '../../../turns/next-turn.ts';
import { getBook } from '../books/books.ts';
import { contactRow, rowWith, sortKeyOf } from '../contacts/contact-row.ts';
import {
  type ContactChange,
  type ContactRow,
  findContactsByUid,
  saveContacts,
} from '../contacts/contact-store.ts';
import { newIdentity } from '../contacts/contacts.ts';
import { type ContactsOwner, contactsLock, emitContacts } from '../owner.ts';
import type { ContactFields, ImportReport } from '../schema.ts';
import type { ImportedContact, ReceivedCards } from './cards.ts';

/** Contacts looked up and stored together. */
const AT_ONCE = 500;

/** How many contacts an import has created and updated. */
export interface ImportCounts {
  created: number;
  updated: number;
}

/**
 * Imports contacts into an address book. A contact whose UID the book has replaces the fields of the stored contact and
 * restores it from the trash; it counts as updated, and changes nothing where the stored contact has these fields. Calls
 * `wake` if contacts were queued for indexing. Throws ApiError not_found.
 */
export async function importContacts(
  tx: WriteTransaction,
  owner: ContactsOwner,
  bookId: string,
  contacts: readonly ImportedContact[],
  wake: () => void,
): Promise<ImportCounts> {
  await tx.lock(contactsLock(owner));
  await getBook(tx, owner, bookId);
  const ordered = await sortByName(lastPerUid(contacts));
  const created: string[] = [];
  const changed: string[] = [];
  const restored: string[] = [];
  for (let i = 0; i < ordered.length; i += AT_ONCE) {
    const changes = await changesOf(tx, owner, bookId, ordered.slice(i, i + AT_ONCE));
    await saveContacts(tx, owner, changes, wake);
    for (const { before, after } of changes) {
      if (!before) created.push(after.id);
      else if (before.record !== after.record) changed.push(after.id);
      if (before?.trashed) restored.push(after.id);
    }
  }
  emitContacts(tx, owner, 'contact.created', bookId, created);
  emitContacts(tx, owner, 'contact.restored', bookId, restored);
  emitContacts(tx, owner, 'contact.changed', bookId, changed);
  return { created: created.length, updated: contacts.length - created.length };
}

/** As `importContacts`, for a whole body. Throws ApiError not_found. */
export async function importCards(
  tx: WriteTransaction,
  owner: ContactsOwner,
  bookId: string,
  received: ReceivedCards,
  wake: () => void,
): Promise<ImportReport> {
  const counts = await importContacts(tx, owner, bookId, received.contacts, wake);
  return { ...counts, skipped: received.skipped };
}

/** The last contact of each UID, and all contacts without a UID. */
function lastPerUid(contacts: readonly ImportedContact[]): ImportedContact[] {
  const last = new Map(contacts.map((contact) => [contact.uid, contact]));
  return contacts.filter((contact) => contact.uid === '' || last.get(contact.uid) === contact);
}

/** Sorts by name, as listings do: neighbours then share pages in every index that begins with the name. */
async function sortByName(contacts: readonly ImportedContact[]): Promise<readonly ImportedContact[]> {
  const keyed: { key: string; contact: ImportedContact }[] = [];
  for (const contact of contacts) {
    keyed.push({ key: sortKeyOf(contact.fields), contact });
    if (isTurnOver()) await nextTurn();
  }
  const sorted = await sortInTurns(keyed, byKey);
  return sorted.map(({ contact }) => contact);
}

function byKey({ key: a }: { key: string }, { key: b }: { key: string }): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The changes that import these contacts; their UIDs are distinct. None for a contact that is stored like this already. */
async function changesOf(
  tx: WriteTransaction,
  owner: ContactsOwner,
  bookId: string,
  contacts: readonly ImportedContact[],
): Promise<ContactChange[]> {
  const uids = contacts.map(({ uid }) => uid).filter((uid) => uid !== '');
  const stored = new Map(
    (await findContactsByUid(tx, owner, bookId, uids)).map((row) => [row.uid, row] as const),
  );
  const changes: ContactChange[] = [];
  for (const { uid, fields } of contacts) {
    const before = stored.get(uid);
    const after = before
      ? await updatedRow(before, fields)
      : await contactRow(newIdentity(owner, bookId, uid || undefined), fields);
    if (after) changes.push({ before, after });
    await giveWay();
  }
  return changes;
}

/** The row with these fields and out of the trash; undefined where it is so already. */
async function updatedRow(before: ContactRow, fields: ContactFields): Promise<ContactRow | undefined> {
  const row = { ...before, trashed: 0 };
  return (await rowWith(row, fields)) ?? (before.trashed ? row : undefined);
}
