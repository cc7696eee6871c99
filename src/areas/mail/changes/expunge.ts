import { JsonText } from '../../../contract/answers.ts';
import { notFound } from '../../../contract/errors.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { folderToChange } from '../arrival/appending.ts';
import { changeCounts } from '../folders/count-store.ts';
import { listFlagSets } from '../folders/folder-store.ts';
import { getFolderByRole } from '../folders/folders.ts';
import type { MessagePosition } from '../listing/listing-store.ts';
import { findSummary, reinsertMessage } from '../messages/message-store.ts';
import { emitMessages, type MailboxOwner, mailboxLock } from '../owner.ts';
import { listPositions, moveToExpunged, takeExpunged } from './expunged-store.ts';
import { DELETED, type FlagSet } from './flags.ts';
import { removeLabels } from './label-store.ts';
import type { ExpungeResult } from './schema.ts';

/** Messages of one portion: bounds what a statement does in a folder of any size, and the event loop runs in between. */
const PORTION = 250;

/** Before every message. */
const START: MessagePosition = { date: Number.MIN_SAFE_INTEGER, number: 0 };

/**
 * Removes the messages of a folder that have the deleted flag from every listing; returns how many. Throws ApiError
 * not_found.
 */
export async function expungeFolder(
  tx: WriteTransaction,
  owner: MailboxOwner,
  named: string,
): Promise<ExpungeResult> {
  const { id: folderId } = await folderToChange(tx, owner, named);
  const expunged: string[] = [];
  for (const { flags } of await listFlagSets(tx, owner, [folderId])) {
    if (flags & DELETED) await expungeAll(tx, owner, { folderId, flags }, expunged);
  }
  emitMessages(tx, owner, 'message.expunged', { folder_id: folderId }, expunged);
  return { expunged: expunged.length };
}

/**
 * Adds the ids of the messages to `expunged`. Each portion starts after the previous one: from the start, PostgreSQL
 * would scan the rows deleted so far again.
 */
async function expungeAll(
  tx: WriteTransaction,
  owner: MailboxOwner,
  stream: { folderId: string; flags: FlagSet },
  expunged: string[],
): Promise<void> {
  const before = expunged.length;
  for (let after = START; ; ) {
    const portion = await listPositions(tx, owner, stream, after, PORTION);
    const last = portion.at(-1);
    if (!last) break;
    expunged.push(...(await moveToExpunged(tx, owner, portion)));
    await removeLabels(tx, owner, portion);
    after = last;
  }
  await changeCounts(tx, owner, [{ ...stream, messages: before - expunged.length }]);
}

/** A message where it stands. */
export interface StandingMessage extends MessagePosition {
  id: string;
  folderId: string;
  flags: FlagSet;
}

/** Removes one message from every listing, whatever its flags. The caller holds the mailbox lock. */
export async function expungeMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  message: StandingMessage,
): Promise<void> {
  const { id, folderId, flags } = message;
  await moveToExpunged(tx, owner, [message]);
  await removeLabels(tx, owner, [message]);
  await changeCounts(tx, owner, [{ folderId, flags, messages: -1 }]);
  emitMessages(tx, owner, 'message.expunged', { folder_id: folderId }, [id]);
}

/** Restores an expunged message; returns its summary, also when it was not expunged. Throws ApiError not_found. */
export async function restoreMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<JsonText> {
  await tx.lock(mailboxLock(owner));
  return new JsonText(
    (await findSummary(tx, owner, messageId)) ?? (await restoreExpunged(tx, owner, messageId)),
  );
}

async function restoreExpunged(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<string> {
  const expunged = await takeExpunged(tx, owner, messageId);
  if (!expunged) throw notFound('message', messageId);
  const { folder: left, ...message } = expunged;
  // "Into the folder that it left (the inbox where that is gone)."
  const folder = left ?? (await getFolderByRole(tx, owner, 'inbox'));
  const flags = message.flags & ~DELETED;
  await changeCounts(tx, owner, [{ folderId: folder.id, flags, messages: 1 }]);
  emitMessages(tx, owner, 'message.restored', { folder_id: folder.id }, [messageId]);
  const row = { ...message, folder_id: folder.id, folder_number: folder.number, flags };
  return reinsertMessage(tx, owner, row);
}
