import type { WriteTransaction } from '../../../storage/database.ts';
import { CountTally, changeCounts } from '../folders/count-store.ts';
import type { FoundFolder } from '../folders/folder-store.ts';
import { getFolder } from '../folders/folders.ts';
import { emitMessages, type MailboxOwner, mailboxLock } from '../owner.ts';
import { getBatch, type NamedMessages } from './batch.ts';
import { storeMoves } from './batch-store.ts';
import type { BatchMessage } from './flags.ts';
import { updateLabelFolder } from './label-store.ts';
import type { MoveResult } from './schema.ts';

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
  await tx.lock(mailboxLock(owner));
  const [from, to] = await Promise.all([getFolder(tx, owner, folderId), getFolder(tx, owner, toId)]);
  const batch = await getBatch(tx, owner, from, messageIds);
  if (to.id === from.id) return { moved: 0, to_folder_id: to.id };
  await storeMove(tx, owner, { from, to }, batch);
  return { moved: batch.length, to_folder_id: to.id };
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
