import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { statement } from '../../../storage/statement.ts';
import type { MailOutbox } from '../../../storage/tables.ts';

/** A message on its way out. */
export type Outgoing = MailOutbox;

/** Which message, as the one attempt at it knows it that its lease was given to. */
type Claimed = Pick<Outgoing, 'workspace_id' | 'id' | 'attempts'>;

const insertRow = statement((tx: WriteTransaction, p: Outgoing) =>
  tx.insertInto('mail_outbox').values({
    workspace_id: p.workspace_id,
    user_id: p.user_id,
    id: p.id,
    message_id: p.message_id,
    message_id_header: p.message_id_header,
    sender: p.sender,
    recipients: p.recipients,
    attempts: p.attempts,
    next_attempt_at: p.next_attempt_at,
    queued_at: p.queued_at,
  }),
);

export async function insertOutgoing(tx: WriteTransaction, outgoing: Outgoing): Promise<void> {
  await insertRow(tx, outgoing);
}

const firstDue = statement((tx, p: { now: number; most: number }) =>
  tx
    .selectFrom('mail_outbox')
    .selectAll()
    .where('next_attempt_at', '<=', p.now)
    .orderBy('next_attempt_at')
    .limit(p.most),
);

/** The message that has waited longest for its next attempt, if one is due; none of the few that are passed over. */
export async function findDue(
  tx: ReadTransaction,
  now: number,
  passedOver: ReadonlySet<string>,
): Promise<Outgoing | undefined> {
  const rows = await firstDue(tx, { now, most: passedOver.size + 1 });
  return rows.find(({ id }) => !passedOver.has(id));
}

const lease = statement((tx: WriteTransaction, p: Claimed & { until: number; attempt: number }) =>
  tx
    .updateTable('mail_outbox')
    .set({ attempts: p.attempt, next_attempt_at: p.until })
    .where('workspace_id', '=', p.workspace_id)
    .where('id', '=', p.id)
    .where('attempts', '=', p.attempts),
);

/** Gives the message to one attempt until a time, when it is due for another. Answers whether it was still the claimant's. */
export async function leaseOutgoing(
  tx: WriteTransaction,
  { workspace_id, id, attempts }: Claimed,
  attempt: number,
  until: number,
): Promise<boolean> {
  return (await lease(tx, { workspace_id, id, attempts, attempt, until })) > 0;
}

const postpone = statement(
  (tx: WriteTransaction, p: Claimed & { recipients: string; next_attempt_at: number }) =>
    tx
      .updateTable('mail_outbox')
      .set({ recipients: p.recipients, next_attempt_at: p.next_attempt_at })
      .where('workspace_id', '=', p.workspace_id)
      .where('id', '=', p.id)
      .where('attempts', '=', p.attempts),
);

/** Leaves these recipients for another attempt. Answers whether the message was still the claimant's. */
export async function postponeOutgoing(
  tx: WriteTransaction,
  { workspace_id, id, attempts }: Claimed,
  recipients: readonly string[],
  nextAttemptAt: number,
): Promise<boolean> {
  const values = { recipients: JSON.stringify(recipients), next_attempt_at: nextAttemptAt };
  return (await postpone(tx, { ...values, workspace_id, id, attempts })) > 0;
}

const remove = statement((tx: WriteTransaction, p: Claimed) =>
  tx
    .deleteFrom('mail_outbox')
    .where('workspace_id', '=', p.workspace_id)
    .where('id', '=', p.id)
    .where('attempts', '=', p.attempts),
);

/** Ends the way of a message that nobody waits for. Answers whether it was still the claimant's. */
export async function removeOutgoing(
  tx: WriteTransaction,
  { workspace_id, id, attempts }: Claimed,
): Promise<boolean> {
  return (await remove(tx, { workspace_id, id, attempts })) > 0;
}
