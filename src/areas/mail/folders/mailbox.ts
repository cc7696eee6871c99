import { newId } from '../../../platform/ids.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import type { MailboxOwner } from '../owner.ts';
import { insertFolder } from './folder-store.ts';
import { FOLDER_ROLES } from './roles.ts';

/** Makes the mailbox of a new user. */
export async function createMailbox(tx: WriteTransaction, owner: MailboxOwner): Promise<void> {
  const createdAt = Date.now();
  for (const role of FOLDER_ROLES) {
    const name = `${role.charAt(0).toUpperCase()}${role.slice(1)}`;
    await insertFolder(tx, owner, { id: newId('fld'), name, parentId: '', role, createdAt });
  }
}
