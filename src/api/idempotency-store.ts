import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';

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

export async function findRecord(
  tx: ReadTransaction,
  scope: IdempotencyScope,
  now: number,
): Promise<IdempotencyRecord | undefined> {
  const row = await tx
    .selectFrom('idempotency_records')
    .select(['fingerprint', 'status', 'body', 'expires_at'])
    .where('workspace_id', '=', scope.workspaceId)
    .where('key_id', '=', scope.keyId)
    .where('idempotency_key', '=', scope.idempotencyKey)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return (
    row && { fingerprint: row.fingerprint, status: row.status, body: row.body, expiresAt: row.expires_at }
  );
}

/** Keeps a record, in the place of an expired one of the same scope. */
export async function keepRecord(
  tx: WriteTransaction,
  scope: IdempotencyScope,
  record: IdempotencyRecord,
): Promise<void> {
  const kept = {
    fingerprint: record.fingerprint,
    status: record.status,
    body: record.body,
    expires_at: record.expiresAt,
  };
  await tx
    .insertInto('idempotency_records')
    .values({
      workspace_id: scope.workspaceId,
      key_id: scope.keyId,
      idempotency_key: scope.idempotencyKey,
      ...kept,
    })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'key_id', 'idempotency_key']).doUpdateSet(kept),
    )
    .execute();
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
