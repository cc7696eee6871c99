import type { WriteTransaction } from '../../storage/database.ts';
import { openForMail } from './appending.ts';
import { batchIn } from './batch.ts';
import { storeFolder } from './batch-store.ts';
import { changeCounts } from './count-store.ts';
import { CountTally } from './count-tally.ts';
import { getFolder } from './folders.ts';
import { changeFolderOfLabels } from './label-store.ts';
import type { MailboxOwner } from './owner.ts';
import type { Move, MoveResult } from './schema.ts';

/** Moves messages of a folder to another. Throws ApiError not_found for either folder, or messages_not_in_folder. */
export async function moveMessages(
  tx: WriteTransaction,
  owner: MailboxOwner,
  fromId: string,
  { message_ids: messageIds, to_folder_id: toId }: Move,
): Promise<MoveResult> {
  const from = await openForMail(tx, owner, fromId);
  const to = await getFolder(tx, owner, toId);
  const batch = await batchIn(tx, owner, from, messageIds);
  // "moved counts messages whose folder changed."
  if (fromId === toId) return { moved: 0, to_folder_id: toId };
  const tally = new CountTally();
  for (const { flags } of batch) tally.move({ folderId: fromId, flags }, { folderId: toId, flags });
  await storeFolder(tx, owner, batch, to.number);
  await changeFolderOfLabels(tx, owner, batch, to.number);
  await changeCounts(tx, owner, tally.changes());
  return { moved: batch.length, to_folder_id: toId };
}
