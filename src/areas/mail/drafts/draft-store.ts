import type { RawLocation } from '../../../blobs/staging.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { FlagSet } from '../changes/flags.ts';
import { locationOf } from '../messages/content-store.ts';
import { messageRows } from '../messages/message-rows.ts';
import type { MailboxOwner } from '../owner.ts';

/** A draft whose message is in the mailbox. */
export interface DraftRow {
  /** The number of its message, the key of its rows. */
  number: number;
  /** The id of its message. */
  id: string;
  folderId: string;
  threadId: string | null;
  date: number;
  flags: FlagSet;
  /** The unchanging members of the summary, as JSON without braces. */
  summary: string;
  location: RawLocation;
  /** JSON. */
  fields: string;
  state: string;
  sentBy: string | null;
  sentUntil: number;
}

/** The draft of a message of this mailbox; undefined when there is none. */
export async function findDraft(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  messageId: string,
): Promise<DraftRow | undefined> {
  const row = await messageRows(tx)
    .innerJoin('mail_drafts as d', (join) =>
      join.onRef('d.workspace_id', '=', 't.workspace_id').onRef('d.message_number', '=', 't.number'),
    )
    .select([
      't.number',
      't.id',
      't.thread_id as threadId',
      't.summary',
      'f.id as folderId',
      'm.date',
      'm.flags',
      'c.raw',
      'c.blob_key',
      'd.fields',
      'd.state',
      'd.sent_by as sentBy',
      'd.sent_until as sentUntil',
    ])
    .where('t.workspace_id', '=', workspaceId)
    .where('t.user_id', '=', userId)
    .where('t.id', '=', messageId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { raw, blob_key, ...columns } = row;
  return { ...columns, location: locationOf({ raw, blob_key }) };
}

/** Makes a stored message a draft. */
export async function insertDraft(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  { number, fields, state }: Pick<DraftRow, 'number' | 'fields' | 'state'>,
): Promise<void> {
  await tx
    .insertInto('mail_drafts')
    .values({
      workspace_id: workspaceId,
      message_number: number,
      fields,
      state,
      sent_by: null,
      sent_until: 0,
    })
    .execute();
}

/** What a replacement changes of a draft and its message. */
export interface Replacement {
  threadId: string;
  summary: string;
  size: number;
  location: RawLocation;
  /** The members that the full record adds to the summary, as JSON without braces. */
  record: string;
  fields: string;
  state: string;
}

/** Replaces a draft of this mailbox and the content of its message. */
export async function updateDraft(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  number: number,
  { threadId, summary, size, location, record, fields, state }: Replacement,
): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ thread_id: threadId, summary })
    .where('workspace_id', '=', workspaceId)
    .where('number', '=', number)
    .execute();
  await tx
    .updateTable('message_contents')
    .set({ size, raw: location.raw, blob_key: location.blobKey, record })
    .where('workspace_id', '=', workspaceId)
    .where('number', '=', number)
    .execute();
  await tx
    .updateTable('mail_drafts')
    .set({ fields, state, sent_by: null, sent_until: 0 })
    .where('workspace_id', '=', workspaceId)
    .where('message_number', '=', number)
    .execute();
}

/** Notes which request sends a draft of this mailbox, and until when it keeps others away. */
export async function updateSender(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  number: number,
  { sentBy, sentUntil }: Pick<DraftRow, 'sentBy' | 'sentUntil'>,
): Promise<void> {
  await tx
    .updateTable('mail_drafts')
    .set({ sent_by: sentBy, sent_until: sentUntil })
    .where('workspace_id', '=', workspaceId)
    .where('message_number', '=', number)
    .execute();
}

/** Lets others at a draft again, if this request still keeps them away. */
export async function removeSender(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  number: number,
  sentBy: string,
): Promise<void> {
  await tx
    .updateTable('mail_drafts')
    .set({ sent_by: null, sent_until: 0 })
    .where('workspace_id', '=', workspaceId)
    .where('message_number', '=', number)
    .where('sent_by', '=', sentBy)
    .execute();
}

/** Makes a draft of this mailbox an ordinary message. */
export async function deleteDraft(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  number: number,
): Promise<void> {
  await tx
    .deleteFrom('mail_drafts')
    .where('workspace_id', '=', workspaceId)
    .where('message_number', '=', number)
    .execute();
}
