import type { RawLocation } from '../../../blobs/staging.ts';
import { mboxEntry } from '../../../formats/messages/mbox-write.ts';
import type { Database, ReadTransaction } from '../../../storage/database.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { MessageStaging } from '../arrival/staging.ts';
import type { FlagSet } from '../changes/flags.ts';
import { folderNumber } from '../folders/folder-store.ts';
import { getFolder } from '../folders/folders.ts';
import type { MessagePosition } from '../listing/listing-query.ts';
import { contents, locationOf } from '../messages/content-store.ts';
import type { MailboxOwner } from '../owner.ts';
import { notesOf } from './mbox-notes.ts';

/** A message with the location of its bytes. */
interface StoredMessage extends MessagePosition {
  flags: FlagSet;
  /** JSON array. */
  labels: string;
  location: RawLocation;
}

const selectAfter = statement(
  (tx, p: MailboxOwner & { folderId: string; date: number; number: number; limit: number }) =>
    tx
      .selectFrom('message_states as m')
      .innerJoin(contents(tx, p.workspaceId).as('c'), (join) =>
        join.onRef('c.workspace_id', '=', 'm.workspace_id').onRef('c.number', '=', 'm.number'),
      )
      .select(['m.number', 'm.date', 'm.flags', 'm.labels', 'c.raw', 'c.blob_key'])
      .where('m.workspace_id', '=', p.workspaceId)
      .where('m.folder_number', '=', folderNumber(tx, p, p.folderId))
      .where(({ eb, refTuple, tuple }) => eb(refTuple('m.date', 'm.number'), '>', tuple(p.date, p.number)))
      .orderBy('m.date')
      .orderBy('m.number')
      .limit(p.limit),
);

/** The messages of a folder of this mailbox after a position, oldest first. */
async function listStoredMessages(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  folderId: string,
  { date, number }: MessagePosition,
  limit: number,
): Promise<StoredMessage[]> {
  const rows = await selectAfter(tx, { workspaceId, userId, folderId, date, number, limit });
  return rows.map(({ raw, blob_key, ...row }) => ({ ...row, location: locationOf({ raw, blob_key }) }));
}

/** The dependencies of an export. */
export interface ExportDependencies {
  database: Database;
  staging: MessageStaging;
}

/** Messages per page; a message stored in its row has at most 100 KiB. */
const PAGE_SIZE = 50;
const BEGINNING: MessagePosition = { date: Number.MIN_SAFE_INTEGER, number: 0 };

/**
 * The messages of a folder as entries of an mbox file, oldest first. An import of the file yields equal messages. Each page
 * is read on demand, in a transaction of its own; memory is bounded by a page and the largest message. Rejects with ApiError
 * not_found for the folder, and when the storage fails.
 */
export async function* exportFolder(
  { database, staging }: ExportDependencies,
  owner: MailboxOwner,
  folderId: string,
): AsyncGenerator<Uint8Array[]> {
  await database.read((tx) => getFolder(tx, owner, folderId));
  let after = BEGINNING;
  for (;;) {
    const page = await database.read((tx) => listStoredMessages(tx, owner, folderId, after, PAGE_SIZE));
    for (const message of page) yield await entryOf(staging, message);
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return;
    after = last;
  }
}

async function entryOf(staging: MessageStaging, message: StoredMessage): Promise<Uint8Array[]> {
  const content = await staging.open(message.location);
  const raw = content instanceof Uint8Array ? content : Buffer.concat(await content.toArray());
  const { date, flags } = message;
  const labels: string[] = JSON.parse(message.labels);
  return mboxEntry({ raw, receivedAt: date, notes: notesOf({ date, flags, labels }, raw.length) });
}
