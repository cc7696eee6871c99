import { LostRace, type ReadTransaction, type WriteTransaction } from '../storage/database.ts';
import { rowsInsertion } from '../storage/query/insertion.ts';
import { isAmong } from '../storage/query/json-parameters.ts';
import { statement } from '../storage/query/statement.ts';

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

const findLive = statement((tx, p: IdempotencyScope & { now: number }) =>
  tx
    .selectFrom('idempotency_records')
    .select(RECORD)
    .where('workspace_id', '=', p.workspaceId)
    .where('key_id', '=', p.keyId)
    .where('idempotency_key', '=', p.idempotencyKey)
    .where('expires_at', '>', p.now),
);

export async function findRecord(
  tx: ReadTransaction,
  scope: IdempotencyScope,
  now: number,
): Promise<IdempotencyRecord | undefined> {
  const { workspaceId, keyId, idempotencyKey } = scope;
  const [row] = await findLive(tx, { workspaceId, keyId, idempotencyKey, now });
  return row;
}

const findLiveAmong = statement((tx, p: ApiKey & { keys: string; now: number }) =>
  tx
    .selectFrom('idempotency_records')
    .select(['idempotency_key as idempotencyKey', ...RECORD])
    .where('workspace_id', '=', p.workspaceId)
    .where('key_id', '=', p.keyId)
    .where(isAmong(tx, 'idempotency_key', p.keys))
    .where('expires_at', '>', p.now),
);

/** The records of one API key for several Idempotency-Keys, by Idempotency-Key. */
export async function findRecords(
  tx: ReadTransaction,
  { workspaceId, keyId }: ApiKey,
  idempotencyKeys: readonly string[],
  now: number,
): Promise<Map<string, IdempotencyRecord>> {
  const keys = JSON.stringify(idempotencyKeys);
  const rows = await findLiveAmong(tx, { workspaceId, keyId, keys, now });
  return new Map(rows.map((row) => [row.idempotencyKey, row]));
}

const upsert = rowsInsertion(
  'idempotency_records',
  ['workspace_id', 'key_id', 'idempotency_key', 'fingerprint', 'status', 'body', 'request_id', 'expires_at'],
  (rows, { now }: { now: number }) =>
    rows.onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'key_id', 'idempotency_key'])
        .doUpdateSet((e) => ({
          fingerprint: e.ref('excluded.fingerprint'),
          status: e.ref('excluded.status'),
          body: e.ref('excluded.body'),
          request_id: e.ref('excluded.request_id'),
          expires_at: e.ref('excluded.expires_at'),
        }))
        .where('idempotency_records.expires_at', '<=', now),
    ),
);

/**
 * Stores records, and replaces expired ones of the same scopes. Throws LostRace if another transaction has stored one
 * of them in between. Two transactions that store the same records in different orders deadlock; the database detects
 * that.
 */
export async function storeRecords(
  tx: WriteTransaction,
  records: readonly (IdempotencyScope & IdempotencyRecord)[],
  now: number,
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
  if ((await upsert(tx, rows, { now })) < rows.length)
    throw new LostRace('Another request with the same Idempotency-Key was answered meanwhile');
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
    await tx
      .deleteFrom('idempotency_records')
      .where('workspace_id', '=', row.workspace_id)
      .where('key_id', '=', row.key_id)
      .where('idempotency_key', '=', row.idempotency_key)
      .where('expires_at', '<=', now)
      .execute();
  }
  return expired.length;
}
