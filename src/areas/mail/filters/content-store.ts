import { sql } from 'kysely';
import type { RawLocation } from '../../../blobs/staging.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { textsIn } from '../../../storage/elements.ts';
import { statement } from '../../../storage/statement.ts';
import type { MailboxOwner } from '../owner.ts';

/** What of a stored message filters are to see beside its summary. */
export interface Needs {
  /** Recipients and body. */
  record: boolean;
  headers: boolean;
}

interface Values {
  workspaceId: string;
  /** JSON array. */
  messageIds: string;
}

/** The lengths are found without reading the values, on both engines. */
const selectSizes = statement((tx, p: Values) =>
  contentsOf(tx, p).select([
    'message_id',
    sql<number>`octet_length(record)`.as('record'),
    sql<number>`coalesce(octet_length(raw), 0)`.as('raw'),
  ]),
);
const selectRecords = statement((tx, p: Values) => contentsOf(tx, p).select(['message_id', 'record']));
const selectRaws = statement((tx, p: Values) => contentsOf(tx, p).select(['message_id', 'raw', 'blob_key']));

function contentsOf(tx: ReadTransaction, p: Values) {
  return tx
    .selectFrom('message_contents')
    .where('workspace_id', '=', p.workspaceId)
    .where('message_id', 'in', tx.selectFrom(textsIn(tx, p.messageIds, 'e')).select('e.value'));
}

/** How many bytes of the database it takes to read what is needed of each of these messages. */
export async function measureContents(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageIds: readonly string[],
  needs: Needs,
): Promise<Map<string, number>> {
  const rows = await selectSizes(tx, valuesOf(owner, messageIds));
  return new Map(
    rows.map(({ message_id, record, raw }) => [
      message_id,
      (needs.record ? record : 0) + (needs.headers ? raw : 0),
    ]),
  );
}

/** The records of those of these messages that are there. */
export async function listRecords(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await selectRecords(tx, valuesOf(owner, messageIds));
  return new Map(rows.map(({ message_id, record }) => [message_id, record]));
}

/** Where the raw bytes are of those of these messages that are there. */
export async function listRawLocations(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageIds: readonly string[],
): Promise<Map<string, RawLocation>> {
  const rows = await selectRaws(tx, valuesOf(owner, messageIds));
  return new Map(rows.map(({ message_id, raw, blob_key }) => [message_id, locationOf(raw, blob_key)]));
}

function valuesOf({ workspaceId }: MailboxOwner, messageIds: readonly string[]): Values {
  return { workspaceId, messageIds: JSON.stringify(messageIds) };
}

function locationOf(raw: Uint8Array | null, blobKey: string | null): RawLocation {
  return blobKey === null ? { raw: raw ?? new Uint8Array(), blobKey } : { raw: null, blobKey };
}
