import { sql } from 'kysely';
import type { RawLocation } from '../../../blobs/staging.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { integersIn } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import { contents, locationOf } from '../messages/content-store.ts';
import type { MailboxOwner } from '../owner.ts';

/** The data of a stored message that filters need beside its summary. */
export interface Needs {
  /** Recipients and body. */
  record: boolean;
  headers: boolean;
}

interface Values {
  workspaceId: string;
  /** JSON array. */
  numbers: string;
}

/** Both engines compute these lengths without reading the values. */
const selectSizes = statement((tx, p: Values) =>
  contentsOf(tx, p).select([
    'number',
    sql<number>`octet_length(record)`.as('record'),
    sql<number>`coalesce(octet_length(raw), 0)`.as('raw'),
  ]),
);
const selectRecords = statement((tx, p: Values) => contentsOf(tx, p).select(['number', 'record']));
const selectRaws = statement((tx, p: Values) => contentsOf(tx, p).select(['number', 'raw', 'blob_key']));

function contentsOf(tx: ReadTransaction, p: Values) {
  return tx
    .selectFrom(contents(tx, p.workspaceId).as('c'))
    .where('workspace_id', '=', p.workspaceId)
    .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value'));
}

/** How many bytes must be read from the database for each of these messages. */
export async function measureContents(
  tx: ReadTransaction,
  owner: MailboxOwner,
  numbers: readonly number[],
  needs: Needs,
): Promise<Map<number, number>> {
  const rows = await selectSizes(tx, valuesOf(owner, numbers));
  return new Map(
    rows.map(({ number, record, raw }) => [number, (needs.record ? record : 0) + (needs.headers ? raw : 0)]),
  );
}

/** The records of those messages that exist. */
export async function listRecords(
  tx: ReadTransaction,
  owner: MailboxOwner,
  numbers: readonly number[],
): Promise<Map<number, string>> {
  const rows = await selectRecords(tx, valuesOf(owner, numbers));
  return new Map(rows.map(({ number, record }) => [number, record]));
}

/** Locations of the raw bytes of those messages that exist. */
export async function listRawLocations(
  tx: ReadTransaction,
  owner: MailboxOwner,
  numbers: readonly number[],
): Promise<Map<number, RawLocation>> {
  const rows = await selectRaws(tx, valuesOf(owner, numbers));
  return new Map(rows.map(({ number, ...located }) => [number, locationOf(located)]));
}

function valuesOf({ workspaceId }: MailboxOwner, numbers: readonly number[]): Values {
  return { workspaceId, numbers: JSON.stringify(numbers) };
}
