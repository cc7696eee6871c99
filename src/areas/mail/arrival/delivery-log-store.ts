import { firstIdAt } from '../../../platform/ids.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { command } from '../../../storage/query/statement.ts';
import type { MailDeliveryLog } from '../../../storage/schema/tables.ts';

/** One line of the log. */
export type LoggedDelivery = MailDeliveryLog;

const insertLine = command((tx: WriteTransaction, p: LoggedDelivery) =>
  tx.insertInto('mail_delivery_log').values({
    workspace_id: p.workspace_id,
    user_id: p.user_id,
    id: p.id,
    delivered_at: p.delivered_at,
    sender: p.sender,
    recipient: p.recipient,
    message_id_header: p.message_id_header,
    outcome: p.outcome,
    message_id: p.message_id,
    filter_ids: p.filter_ids,
  }),
);

export async function insertDelivery(tx: WriteTransaction, line: LoggedDelivery): Promise<void> {
  await insertLine(tx, line);
}

/** Removes up to `most` lines older than `before` (milliseconds); returns how many were removed. */
export async function removeDeliveries(tx: WriteTransaction, before: number, most: number): Promise<number> {
  const old = await tx
    .selectFrom('mail_delivery_log')
    .select(['workspace_id', 'id'])
    .where('id', '<', firstIdAt('dlv', before))
    .orderBy('id')
    .limit(most)
    .execute();
  for (const line of old) await removeLine(tx, line);
  return old.length;
}

const removeLine = command((tx: WriteTransaction, p: Pick<LoggedDelivery, 'workspace_id' | 'id'>) =>
  tx.deleteFrom('mail_delivery_log').where('workspace_id', '=', p.workspace_id).where('id', '=', p.id),
);
