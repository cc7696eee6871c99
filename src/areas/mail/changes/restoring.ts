import { JsonText } from '../../../contract/answers.ts';
import { notFound } from '../../../contract/errors.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { changeCounts } from '../folders/count-store.ts';
import { getFolderByRole } from '../folders/folders.ts';
import { findSummary, insertAgain } from '../messages/message-store.ts';
import { type MailboxOwner, mailboxLock } from '../owner.ts';
import { takeBack } from './expunged-store.ts';
import { DELETED } from './flags.ts';

/** Puts an expunged message back; answers its summary, as it does of one that was not expunged. Throws ApiError not_found. */
export async function restoreMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<JsonText> {
  await tx.lock(mailboxLock(owner));
  return new JsonText((await findSummary(tx, owner, messageId)) ?? (await putBack(tx, owner, messageId)));
}

async function putBack(tx: WriteTransaction, owner: MailboxOwner, messageId: string): Promise<string> {
  const taken = await takeBack(tx, owner, messageId);
  if (!taken) throw notFound('message', messageId);
  const { folderId: left, ...message } = taken;
  // "Into the folder that it left (the inbox where that is gone)."
  const folderId = left ?? (await getFolderByRole(tx, owner, 'inbox'));
  const flags = message.flags & ~DELETED;
  await changeCounts(tx, owner, [{ folderId, flags, messages: 1 }]);
  return insertAgain(tx, owner, { ...message, folder_id: folderId, flags });
}
