import { takeOver } from '../../../blobs/staging.ts';
import { newId } from '../../../platform/ids.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { changedFlags } from '../filters/evaluation.ts';
import { type FilteredArrival, filterArrival, textsOf } from '../filters/filter-arrival.ts';
import type { MessageTexts } from '../filters/message-texts.ts';
import { changeCounts } from '../folders/count-store.ts';
import { getFolderByRole } from '../folders/folders.ts';
import { emitMessages, lockMailboxes, type MailboxOwner } from '../owner.ts';
import { type PreparedArrival, prepareToStore, type ReceivedBySmtp, storeCopy } from './appending.ts';
import { insertDelivery } from './delivery-log-store.ts';
import type { StagedMessage } from './staging.ts';

/** A mailbox and the address of the envelope that names it. */
export interface Recipient extends MailboxOwner {
  address: string;
}

/** The envelope of a message and its time of arrival. */
export interface Delivery {
  /** The address of the envelope; "" for a bounce. */
  sender: string;
  /** Milliseconds since the epoch. */
  deliveredAt: number;
  /** The address of the SMTP client; absent for mail that did not come by SMTP. */
  remote?: string;
  /**
   * Asks, under the locks, whether the recipients still are who they were; rejects where one is not. Asked together with
   * what the delivery asks of the mailboxes, so that nobody waits for it alone.
   */
  confirm?: () => Promise<unknown>;
}

/** The result of a delivery into one mailbox. */
export interface Delivered {
  owner: MailboxOwner;
  /** The id of the stored message; null where a filter discarded it. */
  messageId: string | null;
}

/**
 * Delivers one message into the mailboxes of local recipients: into all of them or, when it throws, into none. A
 * mailbox that several addresses name gets the message once. Returns the result for each mailbox. Throws HeavyFilters, and
 * StorageUnavailable when the message waited so long that its upload was given up.
 *
 * Locks the mailboxes. A transaction that also writes into another mailbox must call `lockMailboxes` for all of them
 * first.
 */
export async function deliverMessage(
  tx: WriteTransaction,
  recipients: readonly Recipient[],
  staged: StagedMessage,
  delivery: Delivery,
): Promise<Delivered[]> {
  const delivered = await deliverCopies(tx, recipients, staged, delivery);
  await settleBytes(tx, staged, delivered);
  return delivered;
}

/** Delivers as deliverMessage does, but leaves it to the caller to take over the bytes. */
export async function deliverCopies(
  tx: WriteTransaction,
  recipients: readonly Recipient[],
  staged: StagedMessage,
  delivery: Delivery,
): Promise<Delivered[]> {
  const mailboxes = onePerMailbox(recipients);
  await lockMailboxes(tx, mailboxes);
  const texts = textsOf(staged.parsed, staged.size);
  const copy: Copy = { staged, delivery, texts, copies: mailboxes.length, firstCopyIn: new Map() };
  // Asked in turn, so that whoever has departed is refused for that reason and no other.
  const confirmed = delivery.confirm?.();
  const delivered = deliverToEach(tx, mailboxes, copy);
  delivered.catch(() => undefined);
  await confirmed;
  return delivered;
}

function onePerMailbox(recipients: readonly Recipient[]): Recipient[] {
  const firstOf = new Map<string, Recipient>();
  for (const recipient of recipients) {
    if (!firstOf.has(recipient.userId)) firstOf.set(recipient.userId, recipient);
  }
  return [...firstOf.values()];
}

/** The message that each mailbox gets. */
interface Copy {
  staged: StagedMessage;
  delivery: Delivery;
  texts: MessageTexts;
  /** How many mailboxes get the message. */
  copies: number;
  /** By workspace, the number of the first stored copy; later copies in that workspace share its content. */
  firstCopyIn: Map<string, number>;
}

async function deliverToEach(
  tx: WriteTransaction,
  mailboxes: readonly Recipient[],
  copy: Copy,
): Promise<Delivered[]> {
  const delivered: Delivered[] = [];
  for (const recipient of mailboxes) delivered.push(await deliverTo(tx, recipient, copy));
  return delivered;
}

async function deliverTo(tx: WriteTransaction, recipient: Recipient, copy: Copy): Promise<Delivered> {
  const { workspaceId, userId } = recipient;
  const { staged, delivery, texts, copies } = copy;
  const owner = { workspaceId, userId };
  // Most mail is kept, and in the inbox: what that needs is asked together with the filters.
  const [filtered, inbox, prepared] = await Promise.all([
    filterArrival(tx, owner, texts, staged.matching?.get(userId)),
    getFolderByRole(tx, owner, 'inbox'),
    prepareToStore(tx, owner, { threading: true, copies }, staged),
  ]);
  const { folder = inbox } = filtered;
  const messageId = filtered.discarded
    ? null
    : await store(tx, owner, copy, { ...filtered, folder, prepared });
  await log(tx, recipient, staged, delivery, { messageId, filtered });
  return { owner, messageId };
}

async function store(
  tx: WriteTransaction,
  owner: MailboxOwner,
  copy: Copy,
  {
    folder,
    flags,
    labels,
    applied,
    prepared,
  }: FilteredArrival & Pick<PreparedArrival, 'folder' | 'prepared'>,
): Promise<string> {
  const { staged, delivery, firstCopyIn } = copy;
  const first = firstCopyIn.get(owner.workspaceId);
  const row = await storeCopy(
    tx,
    owner,
    {
      folder,
      prepared,
      flags: changedFlags(0, flags),
      labels,
      deliveredAt: delivery.deliveredAt,
      isDelivery: true,
      applied,
      received: receivedBy(delivery),
    },
    staged,
    first,
  );
  if (first === undefined) firstCopyIn.set(owner.workspaceId, row.number);
  await changeCounts(tx, owner, [{ folderId: row.folder_id, flags: row.flags, messages: 1 }]);
  emitMessages(tx, owner, 'message.created', { folder_id: row.folder_id }, [row.id]);
  return row.id;
}

function receivedBy({ sender, remote }: Delivery): ReceivedBySmtp | undefined {
  return remote === undefined ? undefined : { envelope_from: sender, remote };
}

/**
 * Takes over the bytes once, however many copies share the blob: stored blobs are never deleted, so no reference
 * count is needed. Deletes the bytes when the filters of every mailbox discarded the message.
 */
async function settleBytes(
  tx: WriteTransaction,
  staged: StagedMessage,
  delivered: readonly Delivered[],
): Promise<void> {
  if (delivered.some(({ messageId }) => messageId !== null)) await takeOver(tx, staged);
  else tx.afterCommit(() => void staged.discard());
}

async function log(
  tx: WriteTransaction,
  recipient: Recipient,
  staged: StagedMessage,
  delivery: Delivery,
  { messageId, filtered }: { messageId: string | null; filtered: FilteredArrival },
): Promise<void> {
  await insertDelivery(tx, {
    workspace_id: recipient.workspaceId,
    user_id: recipient.userId,
    id: newId('dlv'),
    delivered_at: delivery.deliveredAt,
    sender: delivery.sender,
    recipient: recipient.address,
    message_id_header: staged.parsed.messageId,
    outcome: messageId === null ? 'discarded' : 'delivered',
    message_id: messageId,
    filter_ids: JSON.stringify(filtered.applied.map(({ filter_id }) => filter_id)),
  });
}
