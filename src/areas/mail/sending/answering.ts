import { notFound } from '../../../contract/errors.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { flagSet } from '../changes/flags.ts';
import { changeFlagsAndLabels } from '../changes/flags-and-labels.ts';
import { findSummary } from '../messages/message-store.ts';
import type { MailboxOwner } from '../owner.ts';

const ANSWERED = flagSet(['answered']);

/** Marks a message answered; answers its thread. The mailbox lock is held. Throws ApiError not_found. */
export async function markAnswered(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<string | null> {
  const summary = await findSummary(tx, owner, messageId);
  if (summary === undefined) throw notFound('message', messageId);
  const { folder_id, thread_id = null } = JSON.parse(summary);
  const change = { op: 'add', flags: ANSWERED, labels: [] } as const;
  await changeFlagsAndLabels(tx, owner, { folderId: folder_id, messageIds: [messageId] }, change);
  return thread_id;
}
