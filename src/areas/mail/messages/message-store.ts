import type { RawLocation } from '../../../blobs/staging.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { command, numberedInsertion } from '../../../storage/query/statement.ts';
import type { MessageContents } from '../../../storage/schema/tables.ts';
import type { FlagSet } from '../changes/flags.ts';
import { insertLabels } from '../changes/label-store.ts';
import type { FolderNumber } from '../folders/folder-store.ts';
import type { MailboxOwner } from '../owner.ts';
import { contents, locationOf, type RawColumns } from './content-store.ts';
import { itemMembers, itemOf } from './record.ts';

/** A message with the data of its summary. */
export interface MessageRow {
  id: string;
  folder_id: string;
  thread_id: string | null;
  date: number;
  flags: FlagSet;
  /** JSON array. */
  labels: string;
  /** The summary members that no change of folder, flags or labels affects, as JSON without braces. */
  summary: string;
}

/** A message with the number of its folder. */
export interface PlacedRow extends MessageRow {
  folder_number: FolderNumber;
}

/** A message to be stored. */
export interface NewMessage {
  row: PlacedRow;
  /** Its number, where it was taken already (`takeNumber`). */
  number: number | undefined;
  size: number;
  /** Its own content, or the number of the message of this workspace whose content it shares as a copy. */
  content: number | Content;
  /** JSON of the filters that acted, as in the full record; null when none did. */
  appliedFilters: string | null;
  /** JSON of the envelope, as in the full record; null for mail that did not come by SMTP. */
  received: string | null;
}

/** The data that the copies of a message share. */
export interface Content {
  location: RawLocation;
  /** The members that the full record adds to the summary, as JSON without braces. */
  record: string;
}

/**
 * Stores a new message without updating the folder counts; returns its number and its summary as ready JSON. The caller has
 * found the folder under the mailbox lock, so nobody removes it meanwhile.
 */
export async function insertMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  message: NewMessage,
): Promise<{ number: number; item: string }> {
  const { row, size, content, appliedFilters, received } = message;
  const { workspaceId, userId } = owner;
  const number = await insertRow(tx, { ...row, workspaceId, userId }, message.number);
  const isCopy = typeof content === 'number';
  const stored = insertContent(tx, {
    number,
    workspace_id: workspaceId,
    size,
    content_of: isCopy ? content : null,
    raw: isCopy ? null : content.location.raw,
    blob_key: isCopy ? null : content.location.blobKey,
    record: isCopy ? '' : content.record,
    applied_filters: appliedFilters,
    received,
  });
  await Promise.all([stored, insertStateAndLabels(tx, owner, { ...row, number })]);
  return { number, item: itemOf(row, row.folder_id) };
}

const insertContent = command((tx: WriteTransaction, p: MessageContents) =>
  tx.insertInto('message_contents').values({
    number: p.number,
    workspace_id: p.workspace_id,
    size: p.size,
    content_of: p.content_of,
    raw: p.raw,
    blob_key: p.blob_key,
    record: p.record,
    applied_filters: p.applied_filters,
    received: p.received,
  }),
);

interface NumberedRow extends PlacedRow {
  number: number;
}

const columnsOf = (p: MailboxOwner & MessageRow) => ({
  workspace_id: p.workspaceId,
  user_id: p.userId,
  id: p.id,
  thread_id: p.thread_id,
  summary: p.summary,
});

const insertAndNumber = numberedInsertion((tx, p: MailboxOwner & MessageRow) =>
  tx.insertInto('messages').values(columnsOf(p)),
);

const insertNumberedRow = command((tx: WriteTransaction, p: MailboxOwner & MessageRow & { number: number }) =>
  tx.insertInto('messages').values({ ...columnsOf(p), number: p.number }),
);

/** Returns the number of the row: `taken` where it was taken already. */
async function insertRow(
  tx: WriteTransaction,
  row: MailboxOwner & MessageRow,
  taken: number | undefined,
): Promise<number> {
  if (taken === undefined) return insertAndNumber(tx, row);
  await insertNumberedRow(tx, { ...row, number: taken });
  return taken;
}

const insertState = command((tx: WriteTransaction, p: MailboxOwner & NumberedRow) =>
  tx.insertInto('message_states').values({
    number: p.number,
    workspace_id: p.workspaceId,
    folder_number: p.folder_number,
    date: p.date,
    flags: p.flags,
    labels: p.labels,
  }),
);

/**
 * Inserts the rows that make a message appear in listings. Listings order by date and number; this equals the order of
 * date and id, because ids and numbers both increase with each new message.
 */
async function insertStateAndLabels(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  row: NumberedRow,
): Promise<void> {
  await insertState(tx, { ...row, workspaceId, userId });
  await insertLabels(tx, { workspaceId, userId }, [row]);
}

/** Stores a restored message under its old number; returns its summary as ready JSON. */
export async function reinsertMessage(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  row: NumberedRow,
): Promise<string> {
  await insertNumberedRow(tx, { ...row, workspaceId, userId });
  await insertStateAndLabels(tx, { workspaceId, userId }, row);
  return itemOf(row, row.folder_id);
}

const ITEM_COLUMNS = ['t.summary', 'm.flags', 'm.labels', 'f.id as folder_id'] as const;

/** The summary of a message of this mailbox as ready JSON; undefined when there is none. */
export async function findSummary(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<string | undefined> {
  const row = await messageOf(tx, owner, messageId).select(ITEM_COLUMNS).executeTakeFirst();
  return row && itemOf(row, row.folder_id);
}

/** A message as it is stored: what its full record is made of. */
export interface StoredRecord {
  /** The members of the summary, as JSON without braces. */
  members: string;
  /** The members that the full record adds, as JSON without braces. */
  record: string;
  /** JSON; null when no filter acted. */
  appliedFilters: string | null;
  /** JSON; null for mail that did not come by SMTP. */
  received: string | null;
  location: RawLocation;
}

/** A message of this mailbox; undefined when there is none. */
export async function findMessage(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<StoredRecord | undefined> {
  const row = await contentOf(tx, owner, messageId)
    .select([...ITEM_COLUMNS, 'c.record', 'c.applied_filters as appliedFilters'])
    .select(['c.received', 'c.raw', 'c.blob_key'])
    .executeTakeFirst();
  if (!row) return undefined;
  const { record, appliedFilters, received, raw, blob_key } = row;
  const members = itemMembers(row, row.folder_id);
  return { members, record, appliedFilters, received, location: locationOf({ raw, blob_key }) };
}

/** The location of raw bytes and their number. */
interface Raw {
  location: RawLocation;
  size: number;
}

/** The raw bytes of a message of this mailbox; undefined when there is none. */
export async function findRaw(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<Raw | undefined> {
  const row = await contentOf(tx, owner, messageId).select(RAW).executeTakeFirst();
  return row && rawOf(row);
}

/** As `findRaw`, but also for an expunged message: a queued message is sent even if its copy in Sent is expunged. */
export async function findRawOfSent(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<Raw | undefined> {
  return (await findRaw(tx, owner, messageId)) ?? findRawOfExpunged(tx, owner, messageId);
}

async function findRawOfExpunged(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  messageId: string,
): Promise<Raw | undefined> {
  const row = await tx
    .selectFrom('expunged_messages as e')
    .innerJoin(contents(tx, workspaceId).as('c'), (join) =>
      join.onRef('c.workspace_id', '=', 'e.workspace_id').onRef('c.number', '=', 'e.number'),
    )
    .where('e.workspace_id', '=', workspaceId)
    .where('e.user_id', '=', userId)
    .where('e.id', '=', messageId)
    .select(RAW)
    .executeTakeFirst();
  return row && rawOf(row);
}

const RAW = ['c.raw', 'c.blob_key', 'c.size'] as const;

function rawOf({ size, ...located }: RawColumns & { size: number }): Raw {
  return { location: locationOf(located), size };
}

/** Joined through `messages`: the content of an expunged message still exists but must not be readable. */
function contentOf(tx: ReadTransaction, owner: MailboxOwner, messageId: string) {
  return messageOf(tx, owner, messageId).innerJoin(contents(tx, owner.workspaceId).as('c'), (join) =>
    join.onRef('c.workspace_id', '=', 't.workspace_id').onRef('c.number', '=', 't.number'),
  );
}

function messageOf(tx: ReadTransaction, owner: MailboxOwner, messageId: string) {
  return tx
    .selectFrom('messages as t')
    .innerJoin('message_states as m', (join) =>
      join.onRef('m.workspace_id', '=', 't.workspace_id').onRef('m.number', '=', 't.number'),
    )
    .innerJoin('mail_folders as f', (join) =>
      join.onRef('f.workspace_id', '=', 'm.workspace_id').onRef('f.number', '=', 'm.folder_number'),
    )
    .where('t.workspace_id', '=', owner.workspaceId)
    .where('t.user_id', '=', owner.userId)
    .where('t.id', '=', messageId);
}
