import { JsonText } from '../../../contract/answers.ts';
import { notFound } from '../../../contract/errors.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { openForMail } from '../arrival/appending.ts';
import { changeCounts } from '../folders/count-store.ts';
import { listFlagSets } from '../folders/folder-store.ts';
import { getFolderByRole } from '../folders/folders.ts';
import type { MessagePosition } from '../listing/listing-store.ts';
import { findSummary, insertAgain } from '../messages/message-store.ts';
import { type MailboxOwner, mailboxLock } from '../owner.ts';
import type { ExpungeResult } from '../schema.ts';
import { listPlaces, setApart, takeBack } from './expunged-store.ts';
import { DELETED, type FlagSet } from './flags.ts';
import { removeLabels } from './label-store.ts';

/** Messages a portion: a folder of any size goes in bounded memory, and the event loop turns in between. */
const PORTION = 250;

/** Before every other place. */
const START: MessagePosition = { date: Number.MIN_SAFE_INTEGER, number: 0 };

/**
 * Takes the messages of a folder that carry the deleted flag out of every listing; answers how many. Throws ApiError
 * not_found.
 */
export async function expungeFolder(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folderId: string,
): Promise<ExpungeResult> {
  await openForMail(tx, owner, folderId);
  let expunged = 0;
  for (const { flags } of await listFlagSets(tx, owner, [folderId])) {
    if (flags & DELETED) expunged += await expungeAll(tx, owner, { folderId, flags });
  }
  return { expunged };
}

/** Oldest first, each portion after the one before: PostgreSQL would read again what was deleted in this transaction. */
async function expungeAll(
  tx: WriteTransaction,
  owner: MailboxOwner,
  stream: { folderId: string; flags: FlagSet },
): Promise<number> {
  let expunged = 0;
  for (let after = START; ; ) {
    const portion = await listPlaces(tx, owner, stream, after, PORTION);
    const last = portion.at(-1);
    if (!last) break;
    await setApart(tx, owner, portion);
    await removeLabels(tx, owner, portion);
    expunged += portion.length;
    after = last;
  }
  await changeCounts(tx, owner, [{ ...stream, messages: -expunged }]);
  return expunged;
}

/** Puts an expunged message back; answers its summary, as it does of one that was not expunged. Throws ApiError not_found. */
export async function restoreMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<JsonText> {
  await tx.lock(mailboxLock(owner));
  return new JsonText((await findSummary(tx, owner, messageId)) ?? (await putBack(tx, owner, messageId)));
}

async function putBack(tx: WriteTransaction, owner: MailboxOwner, messageId: string): Promise<string> {
  const taken = await takeBack(tx, owner, messageId);
  if (!taken) throw notFound('message', messageId);
  const { folderId: left, ...message } = taken;
  // "Into the folder that it left (the inbox where that is gone)."
  const folderId = left ?? (await getFolderByRole(tx, owner, 'inbox'));
  const flags = message.flags & ~DELETED;
  await changeCounts(tx, owner, [{ folderId, flags, messages: 1 }]);
  return insertAgain(tx, owner, { ...message, folder_id: folderId, flags });
}
