import type { ReadTransaction } from '../../../storage/database.ts';
import { isAmong } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import { isAfterKey, orderOfKeys, type StoredKey } from '../../../storage/query/stored-keys.ts';
import type { Contacts } from '../../../storage/schema/tables.ts';
import type { ContactsOwner } from '../owner.ts';

const contactsOfWorkspace = statement((tx, p: { workspaceId: string; ids: string }) =>
  tx
    .selectFrom('contacts')
    .select(['user_id', 'record'])
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'id', p.ids)),
);

/** The contacts with these ids, of whatever user of the workspace, in any order. */
export function findContactsOfWorkspace(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<Pick<Contacts, 'user_id' | 'record'>[]> {
  return contactsOfWorkspace(tx, { workspaceId, ids: JSON.stringify(ids) });
}

const contactsOfOwner = statement((tx, p: ContactsOwner & { ids: string }) =>
  tx
    .selectFrom('contacts')
    .select(['record', 'trashed'])
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where(isAmong(tx, 'id', p.ids)),
);

/** The contacts of a user with these ids, in any order. */
export function findOwnContacts(
  tx: ReadTransaction,
  { workspaceId, userId }: ContactsOwner,
  ids: readonly string[],
): Promise<Pick<Contacts, 'record' | 'trashed'>[]> {
  return contactsOfOwner(tx, { workspaceId, userId, ids: JSON.stringify(ids) });
}

const contactsAfter = statement((tx, p: StoredKey & { limit: number }) =>
  tx
    .selectFrom('contacts')
    .select(['workspace_id as workspaceId', 'id'])
    .where(isAfterKey(tx, p))
    .orderBy(orderOfKeys(tx))
    .limit(p.limit),
);

/** The contacts of all workspaces after a key. */
export function listKeysAfter(tx: ReadTransaction, after: StoredKey, limit: number): Promise<StoredKey[]> {
  return contactsAfter(tx, { ...after, limit });
}
