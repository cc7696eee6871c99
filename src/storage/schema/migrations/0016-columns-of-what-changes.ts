import { sql } from 'kysely';
import type { Migration, Schema } from '../schema.ts';

/** Gives columns of their own to values that were cut out of stored texts until now. */
export const columnsOfWhatChanges: Migration = {
  name: '0016-columns-of-what-changes',
  async up(schema) {
    await addRequestIds(schema);
    await forgetFingerprints(schema);
    await takeTimesOutOfRecords(schema);
  },
};

/**
 * The id of the request that an answer was made for. An answer that is sealed stays without one: only its reader can open
 * it. So does one on SQLite that nests deeper than a thousand levels, which its functions refuse to read; metadata that a
 * client made so deep may be in one. Answers to changes of flags were stored without the ids of their messages, which only the request names; they begin
 * with a bracket, cannot be completed here and are removed, so such a request that is sent again is carried out again.
 */
async function addRequestIds({ engine, text, tx }: Schema): Promise<void> {
  await tx.schema.alterTable('idempotency_records').addColumn('request_id', text).execute();
  await tx.deleteFrom('idempotency_records').where('body', 'like', '[%').execute();
  const requestId =
    engine === 'sqlite'
      ? sql`case when json_valid(body) then json_extract(body, '$.meta.request_id') end`
      : sql`substring(body from '.*"meta":[{]"request_id":"([0-9a-z_]+)"')`;
  await tx
    .updateTable('idempotency_records')
    .set({ request_id: requestId })
    .where('body', 'like', '{%')
    .execute();
}

/** Fingerprints of streamed bodies were made with a secret, 22 characters long; no request can be held against them now. */
async function forgetFingerprints({ tx }: Schema): Promise<void> {
  await tx
    .updateTable('idempotency_records')
    .set({ fingerprint: '' })
    .where(sql`length(fingerprint)`, '=', 22)
    .execute();
  await tx.deleteFrom('server_secrets').where('name', '=', 'fingerprints').execute();
}

/** The last member of each record was the time of the last change, which is a column as well. */
async function takeTimesOutOfRecords({ tx }: Schema): Promise<void> {
  const { length } = ',"updated_at":"2026-01-01T00:00:00.000Z"';
  await tx
    .updateTable('nodes')
    .set({ record: sql`substr(record, 1, length(record) - ${sql.lit(length)})` })
    .execute();
}
