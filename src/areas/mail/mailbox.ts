import { newId } from '../../ids.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { insertFolder } from './folder-store.ts';
import type { MailboxOwner } from './owner.ts';

/** "Each mailbox starts with folders whose role is inbox, drafts, sent, archive, junk, trash." */
const FIRST_FOLDERS = ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash'] as const;

/** Makes the mailbox of a new user. */
export async function createMailbox(tx: WriteTransaction, owner: MailboxOwner): Promise<void> {
  const createdAt = Date.now();
  for (const role of FIRST_FOLDERS) {
    const name = `${role.charAt(0).toUpperCase()}${role.slice(1)}`;
    await insertFolder(tx, owner, { id: newId('fld'), name, parentId: '', role, createdAt });
  }
}
