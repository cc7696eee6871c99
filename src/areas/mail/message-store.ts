import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { MessageRow } from './listing-store.ts';
import type { MailboxOwner } from './owner.ts';

/** Where the raw bytes of a message are: in its row, or in the blob store. */
export type RawLocation = { raw: Uint8Array; blobKey: null } | { raw: null; blobKey: string };

/** A message as it is stored. */
export interface NewMessage {
  row: MessageRow;
  labels: readonly string[];
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
  const scope = { workspace_id: owner.workspaceId, user_id: owner.userId };
  const { row } = message;
  await tx
    .insertInto('messages')
    .values({ ...scope, ...row })
    .execute();
  await tx
    .insertInto('message_contents')
    .values({
      ...scope,
      message_id: row.id,
      size: message.size,
      raw: message.location.raw,
      blob_key: message.location.blobKey,
      record: message.record,
      applied_filters: message.appliedFilters,
    })
    .execute();
  if (message.labels.length === 0) return;
  const labels = message.labels.map((label) => ({
    ...scope,
    label,
    message_id: row.id,
    folder_id: row.folder_id,
    flags: row.flags,
    date: row.date,
  }));
  await tx.insertInto('message_labels').values(labels).execute();
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
    .selectFrom('message_contents')
    .select(['raw', 'blob_key', 'size', 'record'])
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('message_id', '=', messageId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { raw, blob_key: blobKey, size, record } = row;
  if (blobKey !== null) return { location: { raw: null, blobKey }, size, record };
  return { location: { raw: raw ?? new Uint8Array(), blobKey: null }, size, record };
}
