import type { WriteTransaction } from '../../../storage/database.ts';
import { lockAndGetFolder } from '../arrival/appending.ts';
import { CountTally, changeCounts } from '../folders/count-store.ts';
import type { FoundFolder } from '../folders/folder-store.ts';
import { getFolder } from '../folders/folders.ts';
import { emitMessages, type MailboxOwner } from '../owner.ts';
import type { MoveResult } from '../schema.ts';
import { getBatch, type NamedMessages } from './batch.ts';
import { type BatchMessage, storeMoves } from './batch-store.ts';
import { updateLabelFolder } from './label-store.ts';

/**
 * Moves messages of a folder to another, all or none; returns how many changed their folder. Throws ApiError not_found
 * for either folder, or messages_not_in_folder.
 */
export async function moveMessages(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { folderId, messageIds }: NamedMessages,
  toId: string,
): Promise<MoveResult> {
  const from = await lockAndGetFolder(tx, owner, folderId);
  const to = await getFolder(tx, owner, toId);
  const batch = await getBatch(tx, owner, from, messageIds);
  if (toId === folderId) return { moved: 0, to_folder_id: toId };
  await storeMove(tx, owner, { from, to }, batch);
  return { moved: batch.length, to_folder_id: toId };
}

async function storeMove(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { from, to }: { from: FoundFolder; to: FoundFolder },
  messages: readonly BatchMessage[],
): Promise<void> {
  const tally = new CountTally();
  for (const { flags } of messages) tally.move({ folderId: from.id, flags }, { folderId: to.id, flags });
  await storeMoves(tx, owner, messages, to.number);
  await updateLabelFolder(tx, owner, messages, to.number);
  await changeCounts(tx, owner, tally.changes());
  emitMessages(
    tx,
    owner,
    'message.moved',
    { from_folder_id: from.id, folder_id: to.id },
    messages.map(({ id }) => id),
  );
}
