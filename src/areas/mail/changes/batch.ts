import { ApiError } from '../../../contract/errors.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import type { FoundFolder } from '../folders/folder-store.ts';
import type { MailboxOwner } from '../owner.ts';
import { findBatch } from './batch-store.ts';
import type { BatchMessage } from './flags.ts';

/** Messages of a folder that a request names. */
export interface NamedMessages {
  folderId: string;
  messageIds: readonly string[];
}

/**
 * The messages of a folder with these ids, each once, in the order of the ids. The folder belongs to the owner; the
 * caller holds the mailbox lock. Throws ApiError messages_not_in_folder unless all are in the folder.
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
  const missing = ids.filter((_, i) => !found[i]);
  throw new ApiError(
    'messages_not_in_folder',
    `${missing.length} of the messages are not in the folder; nothing was changed.`,
    { message_ids: missing },
  );
}
