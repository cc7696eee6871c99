import { takeOver } from '../../../blobs/staging.ts';
import { newId } from '../../../platform/ids.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { takeNumber } from '../../../storage/query/statement.ts';
import type { FlagSet } from '../changes/flags.ts';
import type { AppliedFilter } from '../filters/filter-arrival.ts';
import { changeCounts } from '../folders/count-store.ts';
import type { FoundFolder } from '../folders/folder-store.ts';
import { getFolder } from '../folders/folders.ts';
import { insertMessage, type MessageRow, type PlacedRow } from '../messages/message-store.ts';
import { recordMembers, summaryMembers } from '../messages/record.ts';
import { emitMessages, type MailboxOwner, mailboxLock } from '../owner.ts';
import type { StagedMessage } from './staging.ts';
import { type FoundLinks, findLinks, joinThread } from './threading.ts';

/** How a message enters a folder. */
export interface Arrival {
  /** An id or a role. */
  folderId: string;
  flags: FlagSet;
  labels: readonly string[];
  /** Whether the message joins a conversation; if false, only that of `threadId`. */
  threading: boolean;
  /** A conversation that the message joins regardless of its headers; the caller knows that it exists or is new. */
  threadId?: string | null;
  /** How many mailboxes get the message in this transaction; 1 when absent. */
  copies?: number;
  /** Milliseconds since the epoch: the date of a message whose headers state none. */
  deliveredAt: number;
  /** Whether `deliveredAt` overrides the headers: they may be precise to the second only, or forged. */
  isDelivery?: boolean;
  /** The filters that acted on the message. */
  applied?: readonly AppliedFilter[];
  /** The envelope of mail that comes by SMTP. */
  received?: ReceivedBySmtp | undefined;
}

/** What storing a message needs to know of the mailbox. */
export interface Prepared {
  /** Undefined where it joins no conversation by its headers. */
  links: FoundLinks | undefined;
  /** The number that it gets; undefined where its insertion gives one. */
  number: number | undefined;
}

/** As `Arrival`, in a folder that was found, with what `prepareToStore` returned. */
export interface PreparedArrival extends Omit<Arrival, 'folderId' | 'threading' | 'copies'> {
  folder: Pick<FoundFolder, 'id' | 'number'>;
  prepared: Prepared;
}

/** How mail came by SMTP, as its full record shows it. */
export interface ReceivedBySmtp {
  /** The address of MAIL FROM; "" for a bounce. */
  envelope_from: string;
  /** The address of the client that sent it. */
  remote: string;
}

/** A stored message with its number and its summary as JSON. */
export interface StoredMessage extends MessageRow {
  number: number;
  item: string;
}

/**
 * Stores a staged message in a folder. `record`: the members that the full record adds, where they are made already.
 * Throws ApiError not_found.
 */
export async function appendMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { folderId, ...arrival }: Arrival,
  staged: StagedMessage,
  record?: string,
): Promise<StoredMessage> {
  // The lock is sent before all that is asked.
  const [folder, prepared] = await Promise.all([
    folderToChange(tx, owner, folderId),
    prepareToStore(tx, owner, arrival, staged),
  ]);
  const stored = await storeMessage(tx, owner, { ...arrival, folder, prepared }, staged, record);
  await changeCounts(tx, owner, [{ folderId: stored.folder_id, flags: stored.flags, messages: 1 }]);
  emitMessages(tx, owner, 'message.created', { folder_id: stored.folder_id }, [stored.id]);
  return stored;
}

/** A folder that is going to be changed: its mailbox is locked first. Throws ApiError not_found. */
export async function folderToChange(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folderId: string,
): Promise<FoundFolder> {
  await tx.lock(mailboxLock(owner));
  return getFolder(tx, owner, folderId);
}

/**
 * Asks what storing a message needs to know, so that it can be asked together with what else is: on PostgreSQL what is
 * stored afterwards waits for nothing. Behind the mailbox lock; the caller stores no other message in the mailbox before
 * this one.
 */
export async function prepareToStore(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { threading, copies }: Pick<Arrival, 'threading' | 'copies'>,
  { parsed }: StagedMessage,
): Promise<Prepared> {
  const [links, number] = await Promise.all([
    threading ? findLinks(tx, owner, parsed, copies) : undefined,
    takeNumber(tx, 'messages'),
  ]);
  return { links, number };
}

/**
 * Stores a message; updates no folder counts and reports no change. The folder was found, and the message prepared, under
 * the mailbox lock, which the caller holds.
 */
export async function storeMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  arrival: PreparedArrival,
  staged: StagedMessage,
  record?: string,
): Promise<StoredMessage> {
  const row = await storeCopy(tx, owner, arrival, staged, undefined, record);
  await takeOver(tx, staged);
  return row;
}

/**
 * Stores one of several copies of a message as storeMessage does; the caller takes over the shared bytes once.
 * `contentOf`: the number of a stored copy whose content this copy shares.
 */
export async function storeCopy(
  tx: WriteTransaction,
  owner: MailboxOwner,
  arrival: PreparedArrival,
  staged: StagedMessage,
  contentOf?: number,
  record = '',
): Promise<StoredMessage> {
  const row = await rowOf(tx, owner, arrival, staged);
  const { number, item } = await insertMessage(tx, owner, {
    row,
    number: arrival.prepared.number,
    size: staged.size,
    content: contentOf ?? { location: staged.location, record: record || recordMembers(staged.parsed) },
    appliedFilters: arrival.applied?.length ? JSON.stringify(arrival.applied) : null,
    received: arrival.received ? JSON.stringify(arrival.received) : null,
  });
  return { ...row, number, item };
}

/** How far ahead a sender's clock may be, in milliseconds. */
const CLOCK_TOLERANCE = 24 * 60 * 60 * 1_000;

/**
 * Replaces a future date, and one before 1970, by now: such a message would otherwise stay first or last in every
 * listing.
 */
function clampToNow(date: number): number {
  const now = Date.now();
  return date > now + CLOCK_TOLERANCE || date < 0 ? now : date;
}

async function rowOf(
  tx: WriteTransaction,
  owner: MailboxOwner,
  arrival: PreparedArrival,
  { parsed, size }: StagedMessage,
): Promise<PlacedRow> {
  // "date from the newest Received header, else Date, else now"
  const stated = arrival.isDelivery ? null : (parsed.receivedAt ?? parsed.sentAt);
  const date = clampToNow(stated ?? arrival.deliveredAt);
  const id = newId('msg');
  const { folder, prepared, threadId: given = null } = arrival;
  const threadId = prepared.links ? await joinThread(tx, owner, prepared.links, given) : given;
  return {
    id,
    folder_id: folder.id,
    folder_number: folder.number,
    thread_id: threadId,
    date,
    flags: arrival.flags,
    labels: JSON.stringify([...new Set(arrival.labels)]),
    summary: summaryMembers(parsed, { id, threadId, date, size }),
  };
}
