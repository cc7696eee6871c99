import { ApiError } from '../../../contract/errors.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import type { FoundFolder } from '../folders/folder-store.ts';
import type { MailboxOwner } from '../owner.ts';
import { type BatchMessage, findBatch } from './batch-store.ts';

/** Messages of a folder that a request names. */
export interface NamedMessages {
  folderId: string;
  messageIds: readonly string[];
}

/**
 * The messages of a folder with these ids, each once, in the order of the ids. The folder is the owner's, and the mailbox
 * lock is held. Throws ApiError messages_not_in_folder unless all of them are there.
 */
export async function getBatch(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folder: FoundFolder,
  messageIds: readonly string[],
): Promise<BatchMessage[]> {
  const ids = [...new Set(messageIds)];
  const found = await findBatch(tx, owner, folder.number, ids);
  const batch = found.filter((message) => message !== undefined);
  if (batch.length === ids.length) return batch;
  const missing = ids.filter((_, place) => !found[place]);
  throw new ApiError(
    'messages_not_in_folder',
    `${missing.length} of the messages are not in the folder; nothing was changed.`,
    { message_ids: missing },
  );
}
