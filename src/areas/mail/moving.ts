import type { WriteTransaction } from '../../storage/database.ts';
import { openForMail } from './appending.ts';
import { batchIn } from './batch.ts';
import { storeFolder } from './batch-store.ts';
import { changeCounts } from './count-store.ts';
import { CountTally } from './count-tally.ts';
import { getFolder } from './folders.ts';
import { storeLabels } from './label-store.ts';
import type { MailboxOwner } from './owner.ts';
import type { Move, MoveResult } from './schema.ts';

/** Moves messages of a folder to another. Throws ApiError not_found for either folder, or messages_not_in_folder. */
export async function moveMessages(
  tx: WriteTransaction,
  owner: MailboxOwner,
  fromId: string,
  { message_ids: messageIds, to_folder_id: toId }: Move,
): Promise<MoveResult> {
  await openForMail(tx, owner, fromId);
  await getFolder(tx, owner, toId);
  const batch = await batchIn(tx, owner, fromId, messageIds);
  // "moved counts messages whose folder changed."
  if (fromId === toId) return { moved: 0, to_folder_id: toId };
  const tally = new CountTally();
  for (const message of batch) tally.move(message, { ...message, folder_id: toId });
  await storeFolder(tx, owner, batch, toId);
  await changeCounts(tx, owner, tally.changes());
  await storeLabels(tx, owner, batch);
  return { moved: batch.length, to_folder_id: toId };
}
