import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import type { RawLocation } from '../message-store.ts';
import type { MailboxOwner } from '../owner.ts';

/** What of a stored message filters are to see beside its summary. */
export interface Needs {
  /** Recipients and body. */
  record: boolean;
  headers: boolean;
}

/** What is stored of a message, as far as it is needed. */
export interface StoredContent {
  record: string;
  location: RawLocation | undefined;
}

/** How many bytes it takes to read what is needed of each of these messages. */
export async function measureContents(
  tx: ReadTransaction,
  { workspaceId }: MailboxOwner,
  messageIds: readonly string[],
  needs: Needs,
): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('message_contents')
    .select([
      'message_id',
      bytesOf('record', needs.record).as('record'),
      bytesOf('raw', needs.headers).as('raw'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where('message_id', 'in', messageIds)
    .execute();
  return new Map(rows.map((row) => [row.message_id, Number(row.record) + Number(row.raw)]));
}

/** Found without reading the value, on both engines. */
function bytesOf(column: string, needed: boolean): RawBuilder<number> {
  return needed ? sql<number>`coalesce(octet_length(${sql.ref(column)}), 0)` : sql<number>`0`;
}

/** What is needed of each of these messages that is there. */
export async function listContents(
  tx: ReadTransaction,
  { workspaceId }: MailboxOwner,
  messageIds: readonly string[],
  needs: Needs,
): Promise<Map<string, StoredContent>> {
  const rows = await tx
    .selectFrom('message_contents')
    .select('message_id')
    .$if(needs.record, (query) => query.select('record'))
    .$if(needs.headers, (query) => query.select(['raw', 'blob_key']))
    .where('workspace_id', '=', workspaceId)
    .where('message_id', 'in', messageIds)
    .execute();
  return new Map(
    rows.map(({ message_id, record = '', raw, blob_key }) => [
      message_id,
      { record, location: needs.headers ? locationOf(raw, blob_key) : undefined },
    ]),
  );
}

function locationOf(raw: Uint8Array | null = null, blobKey: string | null = null): RawLocation {
  return blobKey === null ? { raw: raw ?? new Uint8Array(), blobKey } : { raw: null, blobKey };
}
