import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { rowsClaim } from '../storage/query/insertion.ts';
import { isAmong, textsIn } from '../storage/query/json-parameters.ts';
import { command, statement } from '../storage/query/statement.ts';

/** Identifies an API key. */
export interface ApiKey {
  workspaceId: string;
  keyId: string;
}

/** The API key is the scope of an Idempotency-Key. */
export interface IdempotencyScope extends ApiKey {
  idempotencyKey: string;
}

/** The stored answer of an operation. Times are milliseconds since the epoch. */
export interface IdempotencyRecord {
  fingerprint: string;
  status: number;
  body: string;
  /** The id of the answered request; null for records that were stored before this column existed. */
  requestId: string | null;
  expiresAt: number;
}

const RECORD = [
  'fingerprint',
  'status',
  'body',
  'request_id as requestId',
  'expires_at as expiresAt',
] as const;

const find = statement((tx, p: IdempotencyScope) =>
  tx
    .selectFrom('idempotency_records')
    .select(RECORD)
    .where('workspace_id', '=', p.workspaceId)
    .where('key_id', '=', p.keyId)
    .where('idempotency_key', '=', p.idempotencyKey),
);

/** The record of a scope, also where it has expired. */
export async function findRecord(
  tx: ReadTransaction,
  { workspaceId, keyId, idempotencyKey }: IdempotencyScope,
): Promise<IdempotencyRecord | undefined> {
  const [row] = await find(tx, { workspaceId, keyId, idempotencyKey });
  return row;
}

/**
 * PostgreSQL looks up one key after the other because of the offset: before 17, left to choose without statistics, it read all
 * records of the API key.
 */
const findAmong = statement((tx, p: ApiKey & { keys: string }) => {
  const records = tx
    .selectFrom('idempotency_records')
    .select(['idempotency_key as idempotencyKey', ...RECORD])
    .where('workspace_id', '=', p.workspaceId)
    .where('key_id', '=', p.keyId);
  if (tx.engine === 'sqlite') return records.where(isAmong(tx, 'idempotency_key', p.keys));
  const record = records.where('idempotency_key', '=', sql.ref<string>('e.value')).offset(sql.lit(0));
  return tx
    .selectFrom(textsIn(tx, p.keys, 'e'))
    .crossJoinLateral(record.as('r'))
    .selectAll('r');
});

/** The records of one API key for several Idempotency-Keys, by Idempotency-Key, also those that have expired. */
export async function findRecords(
  tx: ReadTransaction,
  { workspaceId, keyId }: ApiKey,
  idempotencyKeys: readonly string[],
): Promise<Map<string, IdempotencyRecord>> {
  const keys = JSON.stringify(idempotencyKeys);
  const rows = await findAmong(tx, { workspaceId, keyId, keys });
  return new Map(rows.map((row) => [row.idempotencyKey, row]));
}

const insert = rowsClaim('idempotency_records', [
  'workspace_id',
  'key_id',
  'idempotency_key',
  'fingerprint',
  'status',
  'body',
  'request_id',
  'expires_at',
]);

/**
 * Stores records of scopes that have none. The transaction loses the race if another has stored one of them in between. Two
 * transactions that store the same records in different orders deadlock; the database detects that.
 */
export function storeRecords(
  tx: WriteTransaction,
  records: readonly (IdempotencyScope & IdempotencyRecord)[],
): Promise<void> {
  const rows = records.map((r) => [
    r.workspaceId,
    r.keyId,
    r.idempotencyKey,
    r.fingerprint,
    r.status,
    r.body,
    r.requestId,
    r.expiresAt,
  ]);
  return insert(tx, rows);
}

const remove = command((tx: WriteTransaction, p: IdempotencyScope & { now: number }) =>
  tx
    .deleteFrom('idempotency_records')
    .where('workspace_id', '=', p.workspaceId)
    .where('key_id', '=', p.keyId)
    .where('idempotency_key', '=', p.idempotencyKey)
    .where('expires_at', '<=', p.now),
);

/** Removes the record of a scope if it has expired. */
export function removeExpired(tx: WriteTransaction, scope: IdempotencyScope, now: number): Promise<void> {
  const { workspaceId, keyId, idempotencyKey } = scope;
  return remove(tx, { workspaceId, keyId, idempotencyKey, now });
}

/** Removes at most `most` expired records; returns their number. */
export async function removeExpiredRecords(tx: WriteTransaction, now: number, most: number): Promise<number> {
  const expired = await tx
    .selectFrom('idempotency_records')
    .select(['workspace_id', 'key_id', 'idempotency_key'])
    .where('expires_at', '<=', now)
    .limit(most)
    .execute();
  for (const row of expired) {
    const { workspace_id: workspaceId, key_id: keyId, idempotency_key: idempotencyKey } = row;
    await removeExpired(tx, { workspaceId, keyId, idempotencyKey }, now);
  }
  return expired.length;
}
