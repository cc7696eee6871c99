import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { isAtHome } from '../../../storage/moves.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { MailOutbox } from '../../../storage/schema/tables.ts';

/** A row of the outbox. */
export type Outgoing = MailOutbox;

/** The key of a leased message. `attempts` identifies the lease: each new lease increases it. */
type Claimed = Pick<Outgoing, 'workspace_id' | 'id' | 'attempts'>;

const insertRow = command((tx: WriteTransaction, p: Outgoing) =>
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

const firstDue = statement((tx, p: { now: number }) =>
  tx
    .selectFrom('mail_outbox')
    .select('id')
    .where('next_attempt_at', '<=', p.now)
    .where(isAtHome('mail_outbox.workspace_id'))
    .orderBy('next_attempt_at')
    .limit(sql.lit(1)),
);

/** Whether an attempt for any message is due. */
export async function isAnyDue(tx: ReadTransaction, now: number): Promise<boolean> {
  return (await firstDue(tx, { now })).length > 0;
}

/**
 * A skip scan over the users in the index until one has a due message; the number of waiting messages does not matter.
 */
const firstUserDue = statement((tx, p: { after: string; now: number }) => {
  const first = sql<string | null>`(select min(user_id) from mail_outbox where user_id > ${p.after})`;
  const next = sql<string | null>`(select min(user_id) from mail_outbox where user_id > users.user_id)`;
  return tx
    .withRecursive('users(user_id)', (query) =>
      query
        .selectNoFrom(first.as('user_id'))
        .unionAll(
          query.selectFrom('users').select(next.as('user_id')).where('users.user_id', 'is not', null),
        ),
    )
    .selectFrom('users')
    .select('user_id')
    .where(
      sql<boolean>`exists (select 1 from mail_outbox as due where due.user_id = users.user_id and due.next_attempt_at <= ${p.now} and ${isAtHome('due.workspace_id')})`,
    )
    .limit(sql.lit(1));
});

const dueOfUser = statement((tx, p: { userId: string; now: number; most: number }) =>
  tx
    .selectFrom('mail_outbox')
    .selectAll()
    .where('user_id', '=', p.userId)
    .where('next_attempt_at', '<=', p.now)
    .where(isAtHome('mail_outbox.workspace_id'))
    .orderBy('next_attempt_at')
    .limit(p.most),
);

/** The time at which messages are due, and the ids to skip. */
interface Due {
  readonly now: number;
  readonly skipped: ReadonlySet<string>;
}

/**
 * The longest overdue message of the next user after `afterUser` who has a due one; after the last user comes the
 * first. Skips the few messages in `due.skipped`.
 */
export async function findDue(
  tx: ReadTransaction,
  afterUser: string,
  due: Due,
): Promise<Outgoing | undefined> {
  return (await findDueBehind(tx, afterUser, due)) ?? findDueBehind(tx, '', due);
}

async function findDueBehind(
  tx: ReadTransaction,
  afterUser: string,
  due: Due,
): Promise<Outgoing | undefined> {
  const { now, skipped } = due;
  for (let after = afterUser; ; ) {
    const [user] = await firstUserDue(tx, { after, now });
    if (!user?.user_id) return undefined;
    after = user.user_id;
    const rows = await dueOfUser(tx, { userId: after, now, most: skipped.size + 1 });
    const found = rows.find(({ id }) => !skipped.has(id));
    if (found) return found;
  }
}

const lease = statement((tx: WriteTransaction, p: Claimed & { until: number; attempt: number }) =>
  tx
    .updateTable('mail_outbox')
    .set({ attempts: p.attempt, next_attempt_at: p.until })
    .where('workspace_id', '=', p.workspace_id)
    .where('id', '=', p.id)
    .where('attempts', '=', p.attempts),
);

/** Leases the message to one attempt; at `until` it is due again. Returns whether the caller still held the lease. */
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

/** Schedules these recipients for another attempt. Returns whether the caller still held the lease. */
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

/** Removes a message without waiting recipients. Returns whether the caller still held the lease. */
export async function removeOutgoing(
  tx: WriteTransaction,
  { workspace_id, id, attempts }: Claimed,
): Promise<boolean> {
  return (await remove(tx, { workspace_id, id, attempts })) > 0;
}
