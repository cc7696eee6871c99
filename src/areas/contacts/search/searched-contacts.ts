import type { ReadTransaction } from '../../../storage/database.ts';
import type { IndexedObject } from '../../../storage/full-text/full-text-index.ts';
import type { StoredKey } from '../../../storage/query/stored-keys.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { contactOf } from '../contacts/contact-row.ts';
import type { ContactsOwner } from '../owner.ts';
import type { Contact } from '../schema.ts';
import { findContactsOfWorkspace, findOwnContacts, listKeysAfter } from './searched-store.ts';

/** Contacts of a workspace as the full-text index holds them. Unknown ones are left out. */
export async function indexedContacts(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<IndexedObject[]> {
  const objects: IndexedObject[] = [];
  for (const row of await findContactsOfWorkspace(tx, workspaceId, ids)) {
    const contact = contactOf(row);
    objects.push({
      workspaceId,
      kind: 'contact',
      id: contact.id,
      at: Date.parse(contact.updated_at),
      principals: [row.user_id],
      texts: textsOf(contact).map((text) => ({ field: 'other', text })),
      hasAttachment: false,
    });
    await giveWay();
  }
  return objects;
}

/** Every field, the notes first: a snippet shows them rather than the name. */
function textsOf({
  notes,
  name,
  given_name,
  family_name,
  organization,
  title,
  emails = [],
  phones = [],
}: Contact): string[] {
  const listed = [
    ...emails.flatMap(({ address, type }) => [address, type]),
    ...phones.flatMap(({ number, type }) => [number, type]),
  ];
  const texts = [notes, name, given_name, family_name, organization, title, ...listed];
  return texts.filter((text): text is string => text !== undefined && text !== '');
}

/** A contact with what a search asks of it. */
export interface FoundContact {
  readonly id: string;
  /** The contact as ready JSON. */
  readonly record: string;
  readonly title: string;
  readonly at: string;
  readonly isTrashed: boolean;
}

/** Those of the contacts that the user has, in the trash or not, with what a search asks of them. */
export async function foundContacts(
  tx: ReadTransaction,
  owner: ContactsOwner,
  ids: readonly string[],
): Promise<FoundContact[]> {
  const rows = await findOwnContacts(tx, owner, ids);
  return rows.map(({ record, trashed }) => {
    const { id, name, updated_at: at } = contactOf({ record });
    return { id, record, title: name, at, isTrashed: trashed === 1 };
  });
}

/** The keys of the contacts of all workspaces after one, for a build of the full-text index. */
export function contactKeysAfter(tx: ReadTransaction, after: StoredKey, limit: number): Promise<StoredKey[]> {
  return listKeysAfter(tx, after, limit);
}
