import { type RawBuilder, sql } from 'kysely';
import { KEYS_AUDIENCE, WORKSPACE_AUDIENCE } from '../../../storage/changes.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { WebhookAttempts, WebhookDeadDeliveries, Webhooks } from '../../../storage/schema/tables.ts';
import { MOST_REFUSALS } from './delivery.ts';
import type { WebhookKey } from './webhook-store.ts';

export type { WebhookAttempts, WebhookDeadDeliveries };

/** Number of stored attempts per webhook. */
const KEPT_ATTEMPTS = 100;

/** Whether any webhook is active. */
export async function isAnyActive(tx: ReadTransaction): Promise<boolean> {
  const found = await tx
    .selectFrom('webhooks')
    .select('id')
    .where('disabled_reason', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

const selectDue = statement((tx, p: { now: number; settled: number; era: string }) => {
  // As in selectChanges: SQLite needs the equality to use the second column of its index.
  const isBehind =
    tx.engine === 'sqlite'
      ? sql`c.transaction_id = 0 and c.number > w.number`
      : sql`(c.transaction_id, c.number) > (w.transaction_id, w.number) and c.transaction_id < ${p.settled}`;
  // The first row in order, instead of `exists`: for `exists`, PostgreSQL may read all changes.
  const hasNewFor = (viewer: RawBuilder<unknown>) => sql<boolean>`(select c.number from changes as c
    where c.workspace_id = w.workspace_id and c.viewer = ${viewer} and ${isBehind}
    order by c.transaction_id, c.number limit 1) is not null`;
  const viewers = [sql.ref('w.user_id'), sql.lit(WORKSPACE_AUDIENCE), sql.lit(KEYS_AUDIENCE)];
  const redelivery = sql<boolean>`exists (select 1 from webhook_dead_deliveries as d
    where d.workspace_id = w.workspace_id and d.webhook_id = w.id and d.redelivering = 1)`;
  return tx
    .selectFrom('webhooks as w')
    .select(['w.workspace_id', 'w.id', 'w.user_id'])
    .where('w.disabled_reason', 'is', null)
    .where('w.leased_until', '<=', p.now)
    .where(({ eb, or, and }) =>
      or([
        and([
          or([eb('w.next_attempt_at', '<=', p.now), eb('w.refusals', '=', sql.lit(MOST_REFUSALS))]),
          or([...viewers.map(hasNewFor), eb('w.era', '<>', p.era)]),
        ]),
        redelivery,
      ]),
    )
    .orderBy('w.leased_until');
});

/** The active webhooks without a lease that may have something to deliver; the least recently leased come first. */
export async function listDue(
  tx: ReadTransaction,
  now: number,
  era: string,
): Promise<(WebhookKey & Pick<Webhooks, 'user_id'>)[]> {
  const settled = (await tx.settledBelow()) ?? Number.MAX_SAFE_INTEGER;
  return selectDue(tx, { now, settled, era });
}

/** Leases a webhook until a time, if nobody has leased it since it was read. Returns whether it succeeded. */
export async function leaseWebhook(
  tx: WriteTransaction,
  { workspace_id, id, lease }: WebhookKey & Pick<Webhooks, 'lease'>,
  now: number,
  until: number,
): Promise<boolean> {
  const result = await tx
    .updateTable('webhooks')
    .set({ lease: lease + 1, leased_until: until })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('lease', '=', lease)
    .where('leased_until', '<=', now)
    .where('disabled_reason', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0;
}

/** Ends a lease, and stores its result. Returns whether the lease was still valid. */
export async function endLease(
  tx: WriteTransaction,
  { workspace_id, id, lease }: WebhookKey & Pick<Webhooks, 'lease'>,
  columns: Partial<Webhooks> = {},
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhooks')
    .set({ ...columns, leased_until: await tx.now() })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('lease', '=', lease)
    .executeTakeFirst();
  return numUpdatedRows > 0;
}

/** Increments the number of attempts of a webhook; returns the new number. */
async function countAttempt(tx: WriteTransaction, key: WebhookKey): Promise<number | undefined> {
  const row = await tx
    .updateTable('webhooks')
    .set(({ eb }) => ({ attempts_made: eb('attempts_made', '+', 1) }))
    .where('workspace_id', '=', key.workspace_id)
    .where('id', '=', key.id)
    .returning('attempts_made')
    .executeTakeFirst();
  return row?.attempts_made;
}

/** Stores an attempt in place of the one a hundred before it; stores nothing where the webhook was removed. */
export async function storeAttempt(
  tx: WriteTransaction,
  key: WebhookKey,
  attempt: Omit<WebhookAttempts, 'workspace_id' | 'webhook_id' | 'slot' | 'number'>,
): Promise<void> {
  const number = await countAttempt(tx, key);
  if (number === undefined) return;
  const { id, change_id, type, at, status, duration_ms, error } = attempt;
  const values = { number, id, change_id, type, at, status, duration_ms, error };
  const slot = number % KEPT_ATTEMPTS;
  await tx
    .insertInto('webhook_attempts')
    .values({ ...values, workspace_id: key.workspace_id, webhook_id: key.id, slot })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'webhook_id', 'slot']).doUpdateSet(values))
    .execute();
}

/** The stored attempts, newest first. */
export function listAttempts(tx: ReadTransaction, key: WebhookKey): Promise<WebhookAttempts[]> {
  return tx
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('workspace_id', '=', key.workspace_id)
    .where('webhook_id', '=', key.id)
    .orderBy('number', 'desc')
    .execute();
}

export async function insertDead(tx: WriteTransaction, row: WebhookDeadDeliveries): Promise<void> {
  await tx.insertInto('webhook_dead_deliveries').values(row).execute();
}

function deadOf(tx: ReadTransaction, key: WebhookKey) {
  return tx
    .selectFrom('webhook_dead_deliveries')
    .selectAll()
    .where('workspace_id', '=', key.workspace_id)
    .where('webhook_id', '=', key.id);
}

/** The dead deliveries of a webhook after an id, in order of id. */
export function listDead(
  tx: ReadTransaction,
  key: WebhookKey,
  after: string,
  limit: number,
): Promise<WebhookDeadDeliveries[]> {
  return deadOf(tx, key).where('id', '>', after).orderBy('id').limit(limit).execute();
}

export function findDead(
  tx: ReadTransaction,
  key: WebhookKey,
  id: string,
): Promise<WebhookDeadDeliveries | undefined> {
  return deadOf(tx, key).where('id', '=', id).executeTakeFirst();
}

/** The dead delivery to be redelivered next. */
export function findRedelivery(
  tx: ReadTransaction,
  key: WebhookKey,
): Promise<WebhookDeadDeliveries | undefined> {
  return deadOf(tx, key).where('redelivering', '=', 1).orderBy('id').limit(1).executeTakeFirst();
}

type DeadKey = Pick<WebhookDeadDeliveries, 'workspace_id' | 'webhook_id' | 'id'>;

export async function updateDead(
  tx: WriteTransaction,
  { workspace_id, webhook_id, id }: DeadKey,
  columns: Partial<WebhookDeadDeliveries>,
): Promise<void> {
  await tx
    .updateTable('webhook_dead_deliveries')
    .set(columns)
    .where('workspace_id', '=', workspace_id)
    .where('webhook_id', '=', webhook_id)
    .where('id', '=', id)
    .execute();
}

export async function removeDead(
  tx: WriteTransaction,
  { workspace_id, webhook_id, id }: DeadKey,
): Promise<void> {
  await tx
    .deleteFrom('webhook_dead_deliveries')
    .where('workspace_id', '=', workspace_id)
    .where('webhook_id', '=', webhook_id)
    .where('id', '=', id)
    .execute();
}
