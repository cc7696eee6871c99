import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { insertion } from '../../../storage/query/insertion.ts';
import type { Webhooks } from '../../../storage/schema/tables.ts';

export type { Webhooks };

/** The user who owns the webhooks. */
export interface Owner {
  readonly workspaceId: string;
  readonly userId: string;
}

/** Identifies a webhook of any user. */
export type WebhookKey = Pick<Webhooks, 'workspace_id' | 'id'>;

export const insertWebhook = insertion('webhooks');

function ofUser(tx: ReadTransaction, { workspaceId, userId }: Owner) {
  return tx.selectFrom('webhooks').where('workspace_id', '=', workspaceId).where('user_id', '=', userId);
}

/** The webhooks of a user after an id, in order of creation. */
export function listWebhooks(
  tx: ReadTransaction,
  owner: Owner,
  after: string,
  limit: number,
): Promise<Webhooks[]> {
  return ofUser(tx, owner).selectAll().where('id', '>', after).orderBy('id').limit(limit).execute();
}

export function findWebhook(tx: ReadTransaction, owner: Owner, id: string): Promise<Webhooks | undefined> {
  return ofUser(tx, owner).selectAll().where('id', '=', id).executeTakeFirst();
}

/** A webhook of any user. */
export function findByKey(tx: ReadTransaction, key: WebhookKey): Promise<Webhooks | undefined> {
  return tx
    .selectFrom('webhooks')
    .selectAll()
    .where('workspace_id', '=', key.workspace_id)
    .where('id', '=', key.id)
    .executeTakeFirst();
}

export async function countWebhooks(tx: ReadTransaction, owner: Owner): Promise<number> {
  const { count } = await ofUser(tx, owner)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Updates columns of a webhook. */
export async function updateWebhook(
  tx: WriteTransaction,
  key: WebhookKey,
  columns: Partial<Webhooks>,
): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set(columns)
    .where('workspace_id', '=', key.workspace_id)
    .where('id', '=', key.id)
    .execute();
}

/** Removes a webhook with its attempts and dead deliveries. */
export async function removeWebhook(tx: WriteTransaction, key: WebhookKey): Promise<void> {
  for (const table of ['webhook_attempts', 'webhook_dead_deliveries'] as const) {
    await tx
      .deleteFrom(table)
      .where('workspace_id', '=', key.workspace_id)
      .where('webhook_id', '=', key.id)
      .execute();
  }
  await tx
    .deleteFrom('webhooks')
    .where('workspace_id', '=', key.workspace_id)
    .where('id', '=', key.id)
    .execute();
}
