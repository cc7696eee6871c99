import type { WriteTransaction } from '../../../storage/database.ts';
import { sortInTurns } from '../../../turns/in-turns.ts';
import { giveWay, isTurnOver, nextTurn } from '../../../turns/next-turn.ts';
import { getBook } from '../books/books.ts';
import { contactOf, contactRow, orderOf } from '../contacts/contact-row.ts';
import {
  type ContactChange,
  type ContactRow,
  findContactsByUid,
  saveContacts,
} from '../contacts/contact-store.ts';
import { newHolder } from '../contacts/contacts.ts';
import { type ContactsOwner, contactsLock } from '../owner.ts';
import type { ImportedContact } from './cards.ts';

/** Contacts that are looked up and stored together. */
const AT_ONCE = 500;

/** How many contacts an import has made and changed. */
export interface ImportCounts {
  created: number;
  updated: number;
}

/**
 * Takes contacts into an address book. One whose UID the book has already replaces the fields of that contact, and
 * takes it out of the trash. `wake` is called where the search index is to follow later. Throws ApiError not_found.
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
  const ordered = await inOrder(lastOfEachUid(contacts));
  let created = 0;
  for (let i = 0; i < ordered.length; i += AT_ONCE) {
    const changes = await changesOf(tx, owner, bookId, ordered.slice(i, i + AT_ONCE));
    await saveContacts(tx, owner, changes, wake);
    created += changes.filter(({ before }) => !before).length;
  }
  return { created, updated: contacts.length - created };
}

/** Each UID once, as it comes last; those without one all. */
function lastOfEachUid(contacts: readonly ImportedContact[]): ImportedContact[] {
  const last = new Map(contacts.map((contact) => [contact.uid, contact]));
  return contacts.filter((contact) => contact.uid === '' || last.get(contact.uid) === contact);
}

/** As a listing has them: so neighbours there are neighbours in every index that begins with their names. */
async function inOrder(contacts: readonly ImportedContact[]): Promise<readonly ImportedContact[]> {
  const keyed: { key: string; contact: ImportedContact }[] = [];
  for (const contact of contacts) {
    keyed.push({ key: orderOf(contact.fields), contact });
    if (isTurnOver()) await nextTurn();
  }
  const sorted = await sortInTurns(keyed, byKey);
  return sorted.map(({ contact }) => contact);
}

function byKey({ key: a }: { key: string }, { key: b }: { key: string }): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** What becomes of these contacts, each of another UID. */
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
    const holder = before ? taken(before) : newHolder(owner, bookId, uid || undefined);
    changes.push({ before, after: await contactRow(holder, fields) });
    await giveWay();
  }
  return changes;
}

function taken(row: ContactRow) {
  const createdAt = contactOf(row).created_at;
  return { ...row, trashed: 0, createdAt, updatedAt: new Date().toISOString() };
}
