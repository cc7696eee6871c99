import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import type { MessageContents, Messages } from '../../storage/tables.ts';
import { storeLabels } from './label-store.ts';
import type { MessageRow } from './listing-store.ts';
import type { MailboxOwner } from './owner.ts';

/** Where the raw bytes of a message are: in its row, or in the blob store. */
export type RawLocation = { raw: Uint8Array; blobKey: null } | { raw: null; blobKey: string };

/** A message as it is stored. */
export interface NewMessage {
  row: MessageRow;
  size: number;
  location: RawLocation;
  /** The members that the full record adds to the summary, as JSON without braces. */
  record: string;
  /** The filters that acted, as the full record shows them, as JSON; null when none did. */
  appliedFilters: string | null;
}

export async function insertMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  message: NewMessage,
): Promise<void> {
  const { row, location } = message;
  await insertSummary(tx, owner, row);
  await insertContent(tx, {
    workspace_id: owner.workspaceId,
    user_id: owner.userId,
    message_id: row.id,
    size: message.size,
    raw: location.raw,
    blob_key: location.blobKey,
    record: message.record,
    applied_filters: message.appliedFilters,
  });
}

const insertContent = statement((tx: WriteTransaction, p: MessageContents) =>
  tx.insertInto('message_contents').values({
    workspace_id: p.workspace_id,
    user_id: p.user_id,
    message_id: p.message_id,
    size: p.size,
    raw: p.raw,
    blob_key: p.blob_key,
    record: p.record,
    applied_filters: p.applied_filters,
  }),
);

const insertRow = statement((tx: WriteTransaction, p: Messages) =>
  tx.insertInto('messages').values({
    workspace_id: p.workspace_id,
    user_id: p.user_id,
    id: p.id,
    folder_id: p.folder_id,
    thread_id: p.thread_id,
    date: p.date,
    flags: p.flags,
    labels: p.labels,
    summary: p.summary,
  }),
);

/** Makes a message, new or come back, one that listings show. */
export async function insertSummary(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  row: MessageRow,
): Promise<void> {
  await insertRow(tx, { workspace_id: workspaceId, user_id: userId, ...row });
  if (row.labels !== '[]') await storeLabels(tx, { workspaceId, userId }, [row.id]);
}

/** What the summary of a message of this mailbox is made of. */
export async function findSummary(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<MessageRow | undefined> {
  return tx
    .selectFrom('messages')
    .select(['id', 'folder_id', 'thread_id', 'date', 'flags', 'labels', 'summary'])
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('id', '=', messageId)
    .executeTakeFirst();
}

/** A message of this mailbox with what its full record adds. */
export async function findMessage(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<(MessageRow & { record: string; applied_filters: string | null }) | undefined> {
  return tx
    .selectFrom('messages as m')
    .innerJoin('message_contents as c', (join) =>
      join.onRef('c.workspace_id', '=', 'm.workspace_id').onRef('c.message_id', '=', 'm.id'),
    )
    .select(['m.id', 'm.folder_id', 'm.thread_id', 'm.date', 'm.flags', 'm.labels', 'm.summary'])
    .select(['c.record', 'c.applied_filters'])
    .where('m.workspace_id', '=', owner.workspaceId)
    .where('m.user_id', '=', owner.userId)
    .where('m.id', '=', messageId)
    .executeTakeFirst();
}

/** Where the raw bytes of a message of this mailbox are, and how many. */
export async function findRaw(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<{ location: RawLocation; size: number; record: string } | undefined> {
  const row = await tx
    .selectFrom('messages as m')
    // The content of an expunged message stays, and is not to be had.
    .innerJoin('message_contents as c', (join) =>
      join.onRef('c.workspace_id', '=', 'm.workspace_id').onRef('c.message_id', '=', 'm.id'),
    )
    .select(['c.raw', 'c.blob_key', 'c.size', 'c.record'])
    .where('m.workspace_id', '=', owner.workspaceId)
    .where('m.user_id', '=', owner.userId)
    .where('m.id', '=', messageId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { raw, blob_key: blobKey, size, record } = row;
  if (blobKey !== null) return { location: { raw: null, blobKey }, size, record };
  return { location: { raw: raw ?? new Uint8Array(), blobKey: null }, size, record };
}
