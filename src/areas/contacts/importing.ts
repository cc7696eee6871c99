import type { WriteTransaction } from '../../storage/database.ts';
import { Turns } from '../../turns/turns.ts';
import { getBook } from './books.ts';
import type { ImportedContact } from './card-reading.ts';
import { contactOf, contactRow } from './contact-row.ts';
import { type ContactChange, type ContactRow, findContactsByUid, saveContacts } from './contact-store.ts';
import { newHolder } from './contacts.ts';
import { type ContactsOwner, contactsLock } from './owner.ts';

/**
 * Contacts that are looked up and stored together: the more, the more of their fragments are neighbours in the search
 * index, and the fewer of its pages are written again and again.
 */
const AT_ONCE = 2_000;

/** How many contacts an import has made and changed. */
export interface ImportCounts {
  created: number;
  updated: number;
}

/**
 * Takes contacts into an address book. One whose UID the book has already replaces the fields of that contact, and
 * takes it out of the trash. Throws ApiError not_found.
 */
export async function importContacts(
  tx: WriteTransaction,
  owner: ContactsOwner,
  bookId: string,
  contacts: readonly ImportedContact[],
): Promise<ImportCounts> {
  await tx.lock(contactsLock(owner));
  await getBook(tx, owner, bookId);
  const counts = { created: 0, updated: 0 };
  for (let i = 0; i < contacts.length; i += AT_ONCE) {
    const created = await importPortion(tx, owner, bookId, contacts.slice(i, i + AT_ONCE));
    counts.created += created;
  }
  counts.updated = contacts.length - counts.created;
  return counts;
}

/** Answers how many of the contacts are new. */
async function importPortion(
  tx: WriteTransaction,
  owner: ContactsOwner,
  bookId: string,
  contacts: readonly ImportedContact[],
): Promise<number> {
  const uids = contacts.map(({ uid }) => uid).filter((uid) => uid !== '');
  const stored = await findContactsByUid(tx, owner, bookId, [...new Set(uids)]);
  const before = new Map(stored.map((row) => [row.uid, row]));
  const changes = new Map<string, ContactChange>();
  const turns = new Turns();
  for (const { uid, fields } of contacts) {
    const known = changes.get(uid)?.after ?? before.get(uid);
    const after = contactRow(known ? taken(known) : newHolder(owner, bookId, uid || undefined), fields);
    changes.set(after.uid, { before: before.get(after.uid), after });
    await turns.next();
  }
  await saveContacts(tx, owner, [...changes.values()]);
  return [...changes.values()].filter((change) => !change.before).length;
}

function taken(row: ContactRow) {
  const createdAt = contactOf(row).created_at;
  return { ...row, trashed: 0, createdAt, updatedAt: new Date().toISOString() };
}
