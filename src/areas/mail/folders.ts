import { newId } from '../../ids.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { findFolderByName, insertFolder } from './folder-store.ts';
import { type MailboxOwner, mailboxLock } from './owner.ts';

/** The folder that a name leads to, "/" between levels; what is missing on the way is made. Answers its id. */
export async function ensureFolder(tx: WriteTransaction, owner: MailboxOwner, path: string): Promise<string> {
  await tx.lock(mailboxLock(owner));
  let parentId = '';
  for (const name of path.split('/')) {
    parentId =
      (await findFolderByName(tx, owner, parentId, name)) ?? (await createFolder(tx, owner, parentId, name));
  }
  return parentId;
}

async function createFolder(
  tx: WriteTransaction,
  owner: MailboxOwner,
  parentId: string,
  name: string,
): Promise<string> {
  const id = newId('fld');
  await insertFolder(tx, owner, { id, name, parentId, role: null, createdAt: Date.now() });
  return id;
}
