import { takeOver } from '../../../blobs/staging.ts';
import { newId } from '../../../platform/ids.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import type { FlagSet } from '../changes/flags.ts';
import type { AppliedFilter } from '../filters/arrival.ts';
import { changeCounts } from '../folders/count-store.ts';
import type { FoundFolder } from '../folders/folder-store.ts';
import { getFolder } from '../folders/folders.ts';
import { insertMessage, type MessageRow } from '../messages/message-store.ts';
import { recordMembers, summaryMembers } from '../messages/record.ts';
import { type MailboxOwner, mailboxLock } from '../owner.ts';
import type { StagedMessage } from './staging.ts';
import { joinThread } from './threading.ts';

/** How a message enters a folder. */
export interface Arrival {
  folderId: string;
  flags: FlagSet;
  labels: readonly string[];
  /** Whether it joins a conversation; without, thread_id stays absent. */
  threading: boolean;
  /** A conversation that it joins whatever its headers say. */
  threadId?: string | null;
  /** How many mailboxes get it in this transaction; 1 when absent. */
  copies?: number;
  /** Milliseconds since the epoch: when it came, for a message that does not say so itself. */
  deliveredAt: number;
  /** Whether that is when it came whatever the message says; it may say it to the second only, or by a forged header. */
  isDelivery?: boolean;
  /** The filters that acted on it. */
  applied?: readonly AppliedFilter[];
}

/** A message that has been stored, with its number and its summary as JSON. */
export interface StoredMessage extends MessageRow {
  number: number;
  item: string;
}

/** Puts a message that has arrived whole into a folder. Throws ApiError not_found. */
export async function appendMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  arrival: Arrival,
  staged: StagedMessage,
): Promise<StoredMessage> {
  await openForMail(tx, owner, arrival.folderId);
  const stored = await storeMessage(tx, owner, arrival, staged);
  await changeCounts(tx, owner, [{ folderId: stored.folder_id, flags: stored.flags, messages: 1 }]);
  return stored;
}

/** Locks the mailbox; answers the folder. Throws ApiError not_found. */
export async function openForMail(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folderId: string,
): Promise<FoundFolder> {
  await tx.lock(mailboxLock(owner));
  return getFolder(tx, owner, folderId);
}

/** Stores a message without counting it. The folder exists, and the mailbox lock is held. */
export async function storeMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  arrival: Arrival,
  staged: StagedMessage,
): Promise<StoredMessage> {
  const row = await storeCopy(tx, owner, arrival, staged);
  await takeOver(tx, staged);
  return row;
}

/**
 * Stores one of several copies of a message, as storeMessage does; the caller takes over what they share, once.
 * `contentOf`: the number of a copy that is stored already, whose content this one shares.
 */
export async function storeCopy(
  tx: WriteTransaction,
  owner: MailboxOwner,
  arrival: Arrival,
  staged: StagedMessage,
  contentOf?: number,
): Promise<StoredMessage> {
  const row = await rowOf(tx, owner, arrival, staged);
  const { number, item } = await insertMessage(tx, owner, {
    row,
    size: staged.size,
    content: contentOf ?? { location: staged.location, record: recordMembers(staged.parsed) },
    appliedFilters: arrival.applied?.length ? JSON.stringify(arrival.applied) : null,
  });
  return { ...row, number, item };
}

/** How far the clock of whoever wrote a date may be ahead, in milliseconds. */
const CLOCK_TOLERANCE = 24 * 60 * 60 * 1_000;

/** A message from the future would stand before all others for ever: it came now. */
function notAhead(date: number): number {
  const now = Date.now();
  return date > now + CLOCK_TOLERANCE ? now : date;
}

async function rowOf(
  tx: WriteTransaction,
  owner: MailboxOwner,
  arrival: Arrival,
  { parsed, size }: StagedMessage,
): Promise<MessageRow> {
  // "date from the newest Received header, else Date, else now"
  const stated = arrival.isDelivery ? null : (parsed.receivedAt ?? parsed.sentAt);
  const date = notAhead(stated ?? arrival.deliveredAt);
  const id = newId('msg');
  const threadId = arrival.threading
    ? await joinThread(tx, owner, parsed, arrival.threadId, arrival.copies)
    : null;
  return {
    id,
    folder_id: arrival.folderId,
    thread_id: threadId,
    date,
    flags: arrival.flags,
    labels: JSON.stringify([...new Set(arrival.labels)]),
    summary: summaryMembers(parsed, { id, threadId, date, size }),
  };
}
