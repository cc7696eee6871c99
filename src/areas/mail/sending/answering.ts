import { notFound } from '../../../api/errors.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { flagSet } from '../flags.ts';
import { addToCount } from '../folder-store.ts';
import { findMessage } from '../message-store.ts';
import type { MailboxOwner } from '../owner.ts';
import { setFlags } from './answered-store.ts';

const ANSWERED = flagSet(['answered']);

/** Marks a message answered; answers its thread. The mailbox lock is held. Throws ApiError not_found. */
export async function markAnswered(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<string | null> {
  const message = await findMessage(tx, owner, messageId);
  if (!message) throw notFound('message', messageId);
  const flags = message.flags | ANSWERED;
  if (flags === message.flags) return message.thread_id;
  await setFlags(tx, owner, messageId, flags);
  await addToCount(tx, owner, message.folder_id, message.flags, -1);
  await addToCount(tx, owner, message.folder_id, flags, 1);
  return message.thread_id;
}
