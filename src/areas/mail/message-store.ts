import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { FlagSet } from './flags.ts';
import type { MailboxOwner } from './owner.ts';

/** Where the raw bytes of a message are: in its row, or in the blob store. */
export type RawLocation = { raw: Uint8Array; blobKey: null } | { raw: null; blobKey: string };

/** What a summary is made of. */
export interface MessageRow {
  id: string;
  folder_id: string;
  thread_id: string | null;
  date: number;
  flags: FlagSet;
  /** JSON array. */
  labels: string;
  /** The members that never change, as JSON without braces. */
  summary: string;
}

/** A message as it is stored. */
export interface NewMessage {
  row: MessageRow;
  labels: readonly string[];
  size: number;
  location: RawLocation;
  /** The members that the full record adds to the summary, as JSON without braces. */
  record: string;
}

/** Answers its summary as ready JSON. */
export async function insertMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  message: NewMessage,
): Promise<string> {
  const scope = { workspace_id: owner.workspaceId, user_id: owner.userId };
  const { row } = message;
  const { item } = await tx
    .insertInto('messages')
    .values({ ...scope, ...row })
    .returning('item')
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('message_contents')
    .values({
      ...scope,
      message_id: row.id,
      size: message.size,
      raw: message.location.raw,
      blob_key: message.location.blobKey,
      record: message.record,
    })
    .execute();
  if (message.labels.length === 0) return item;
  const labels = message.labels.map((label) => ({
    ...scope,
    label,
    message_id: row.id,
    folder_id: row.folder_id,
    flags: row.flags,
    date: row.date,
  }));
  await tx.insertInto('message_labels').values(labels).execute();
  return item;
}

/** The summary of a message of this mailbox as ready JSON, and what its full record adds. */
export async function findMessage(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<{ item: string; record: string } | undefined> {
  return tx
    .selectFrom('messages as m')
    .innerJoin('message_contents as c', (join) =>
      join.onRef('c.workspace_id', '=', 'm.workspace_id').onRef('c.message_id', '=', 'm.id'),
    )
    .select(['m.item', 'c.record'])
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
): Promise<{ location: RawLocation; size: number } | undefined> {
  const row = await tx
    .selectFrom('message_contents')
    .select(['raw', 'blob_key', 'size'])
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('message_id', '=', messageId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { raw, blob_key: blobKey, size } = row;
  if (blobKey !== null) return { location: { raw: null, blobKey }, size };
  return { location: { raw: raw ?? new Uint8Array(), blobKey: null }, size };
}

/** What the full record of a message of this mailbox adds to its summary, as JSON without braces. */
export async function findRecord(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('message_contents')
    .select('record')
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('message_id', '=', messageId)
    .executeTakeFirst();
  return row?.record;
}
