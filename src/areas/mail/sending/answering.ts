import { notFound } from '../../../api/errors.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { changeMarks } from '../flagging.ts';
import { flagSet } from '../flags.ts';
import { findMessage } from '../message-store.ts';
import type { MailboxOwner } from '../owner.ts';

const ANSWERED = flagSet(['answered']);

/** Marks a message answered; answers its thread. The mailbox lock is held. Throws ApiError not_found. */
export async function markAnswered(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<string | null> {
  const message = await findMessage(tx, owner, messageId);
  if (!message) throw notFound('message', messageId);
  await changeMarks(tx, owner, message.folder_id, [messageId], { op: 'add', flags: ANSWERED, labels: [] });
  return message.thread_id;
}
