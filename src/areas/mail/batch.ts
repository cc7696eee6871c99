import { ApiError } from '../../api/errors.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { type BatchMessage, findBatch } from './batch-store.ts';
import type { FoundFolder } from './folder-store.ts';
import type { MailboxOwner } from './owner.ts';

/**
 * The messages of a folder that a batch names, in the order asked, each once. The folder is the owner's, and the mailbox
 * lock is held. Throws ApiError messages_not_in_folder, with those that are not there, unless all are.
 */
export async function batchIn(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folder: FoundFolder,
  messageIds: readonly string[],
): Promise<BatchMessage[]> {
  const asked = [...new Set(messageIds)];
  const found = await findBatch(tx, owner, folder.number, asked);
  const batch = found.filter((message) => message !== undefined);
  if (batch.length === asked.length) return batch;
  const missing = asked.filter((_, place) => !found[place]);
  throw new ApiError(
    'messages_not_in_folder',
    `${missing.length} of the messages are not in the folder; nothing was changed.`,
    { message_ids: missing },
  );
}
