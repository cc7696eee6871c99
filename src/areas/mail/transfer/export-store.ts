import type { RawLocation } from '../../../blobs/staging.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { FlagSet } from '../changes/flags.ts';
import { folderNumber } from '../folders/folder-store.ts';
import type { MessagePosition } from '../listing/listing-query.ts';
import { contents, locationOf } from '../messages/content-store.ts';
import type { MailboxOwner } from '../owner.ts';

/** A message with the place of its bytes. */
export interface StoredMessage extends MessagePosition {
  flags: FlagSet;
  /** JSON array. */
  labels: string;
  location: RawLocation;
}

const selectAfter = statement(
  (tx, p: MailboxOwner & { folderId: string; date: number; number: number; limit: number }) =>
    tx
      .selectFrom('message_states as m')
      .innerJoin(contents(tx).as('c'), (join) =>
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

/** The messages of a folder of this mailbox after a place, oldest first. */
export async function listStoredMessages(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  folderId: string,
  { date, number }: MessagePosition,
  limit: number,
): Promise<StoredMessage[]> {
  const rows = await selectAfter(tx, { workspaceId, userId, folderId, date, number, limit });
  return rows.map(({ raw, blob_key, ...row }) => ({ ...row, location: locationOf({ raw, blob_key }) }));
}
