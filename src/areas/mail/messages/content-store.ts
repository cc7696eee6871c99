import { sql } from 'kysely';
import type { RawLocation } from '../../../blobs/staging.ts';
import type { BlobOwner } from '../../../storage/blob-owner.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import type { MessageContents } from '../../../storage/schema/tables.ts';

/** Blobs of large messages, expunged ones included. */
export const MAIL_BLOBS: BlobOwner = {
  table: 'message_contents',
  columns: ['workspace_id', 'number'],
  name: async (tx, [workspaceId, number]) => {
    for (const table of ['messages', 'expunged_messages'] as const) {
      const found = await tx
        .selectFrom(table)
        .select('id')
        .where('workspace_id', '=', String(workspaceId))
        .where('number', '=', Number(number))
        .executeTakeFirst();
      if (found) return `message ${found.id}`;
    }
    return `message number ${number}`;
  },
};

/**
 * A subquery of message contents, to be joined by workspace and number; resolves copies to the content they share.
 * `workspaceId`: undefined for those of all workspaces.
 */
export function contents(tx: ReadTransaction, workspaceId: string | undefined) {
  return tx
    .selectFrom('message_contents as own')
    .innerJoin('message_contents as held', (join) =>
      join
        .onRef('held.workspace_id', '=', 'own.workspace_id')
        .on('held.number', '=', sql<number>`coalesce(own.content_of, own.number)`),
    )
    .select([
      'own.workspace_id',
      'own.number',
      'own.size',
      'own.applied_filters',
      'own.received',
      'held.raw',
      'held.blob_key',
      'held.record',
    ])
    .$if(workspaceId !== undefined, (query) => query.where('own.workspace_id', '=', workspaceId as string));
}

/** The columns that locate the raw bytes. */
export type RawColumns = Pick<MessageContents, 'raw' | 'blob_key'>;

/** The location of the raw bytes of a content. */
export function locationOf({ raw, blob_key: blobKey }: RawColumns): RawLocation {
  return blobKey === null ? { raw: raw ?? new Uint8Array(), blobKey } : { raw: null, blobKey };
}
