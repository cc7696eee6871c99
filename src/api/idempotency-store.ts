import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { statement } from '../storage/statement.ts';

/** The API key is the scope of an Idempotency-Key. */
export interface IdempotencyScope {
  workspaceId: string;
  keyId: string;
  idempotencyKey: string;
}

/** What is kept of an operation that ran. Times are milliseconds since the epoch. */
export interface IdempotencyRecord {
  fingerprint: string;
  status: number;
  body: string;
  expiresAt: number;
}

const findLive = statement((tx, p: IdempotencyScope & { now: number }) =>
  tx
    .selectFrom('idempotency_records')
    .select(['fingerprint', 'status', 'body', 'expires_at'])
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
  return (
    row && { fingerprint: row.fingerprint, status: row.status, body: row.body, expiresAt: row.expires_at }
  );
}

const keep = statement((tx: WriteTransaction, p: IdempotencyScope & IdempotencyRecord) => {
  const kept = { fingerprint: p.fingerprint, status: p.status, body: p.body, expires_at: p.expiresAt };
  const scope = { workspace_id: p.workspaceId, key_id: p.keyId, idempotency_key: p.idempotencyKey };
  return tx
    .insertInto('idempotency_records')
    .values({ ...scope, ...kept })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'key_id', 'idempotency_key']).doUpdateSet(kept),
    );
});

/** Keeps a record, in the place of an expired one of the same scope. */
export async function keepRecord(
  tx: WriteTransaction,
  scope: IdempotencyScope,
  record: IdempotencyRecord,
): Promise<void> {
  await keep(tx, { ...scope, ...record });
}

/** Removes up to `most` expired records; returns how many went. */
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
