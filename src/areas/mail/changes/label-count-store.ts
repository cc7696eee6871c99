import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { integersIn, textsIn } from '../../../storage/query/json-parameters.ts';
import { isOfWorkspace, workspaceOfRows } from '../../../storage/query/of-workspace.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { MailboxOwner } from '../owner.ts';
import { type FlagMasks, READ } from './flags.ts';

/**
 * All writers of mail_label_counts, which has how many rows of message_labels name each label. Each runs before the rows
 * change, of which it counts those that will.
 */

interface Values extends MailboxOwner {
  /** JSON array. */
  numbers: string;
}

/** Of the messages `m`: the labels named, or the labels of each, that have no rows yet. */
const countNew = (labelled: 'carried' | 'named') =>
  command((tx: WriteTransaction, p: Values & { labels: string }) =>
    insertion(tx).expression(
      tx
        .selectFrom('message_states as m')
        .crossJoin(({ ref }) => textsIn(tx, labelled === 'carried' ? ref('m.labels') : p.labels, 'l'))
        .select([
          workspaceOfRows(tx, 'm.workspace_id', p).as('workspace_id'),
          sql<string>`cast(${p.userId} as text)`.as('user_id'),
          'l.value as label',
        ])
        .select([sql<number>`count(*)`.as('messages'), unreadOf('m').as('unread')])
        .where('m.workspace_id', '=', p.workspaceId)
        .where('m.number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value'))
        .where(
          // A scalar, which PostgreSQL looks up for each label: it would join all rows of the workspace to what only exists.
          ({ selectFrom }) =>
            selectFrom('message_labels as r')
              .select('r.label')
              .where('r.workspace_id', '=', p.workspaceId)
              .whereRef('r.message_number', '=', 'm.number')
              .whereRef('r.label', '=', 'l.value')
              .limit(sql.lit(1)),
          'is',
          null,
        )
        .groupBy('l.value')
        .$if(tx.engine === 'postgres', (query) => query.groupBy('m.workspace_id')),
    ),
  );

const countCarried = countNew('carried');
const countNamed = countNew('named');

/** Which rows of messages are deleted: all, or those of the labels named, or those of all others. */
export type Deletion = 'all' | 'named' | 'others';

const uncountRows = (which: Deletion) =>
  statement((tx: WriteTransaction, p: Values & { labels: string }) =>
    insertion(tx)
      .expression(
        countedRows(tx, p, { messages: sql<number>`-count(*)`, unread: sql<number>`-${unreadOf('r')}` }).$if(
          which !== 'all',
          (query) =>
            query.where(
              'r.label',
              which === 'named' ? 'in' : 'not in',
              tx.selectFrom(textsIn(tx, p.labels, 'l')).select('l.value'),
            ),
        ),
      )
      .returning(['label', 'messages']),
  );

const uncount = {
  all: uncountRows('all'),
  named: uncountRows('named'),
  others: uncountRows('others'),
};

const deleteEmptied = command((tx: WriteTransaction, p: MailboxOwner & { labels: string }) =>
  tx
    .deleteFrom('mail_label_counts')
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('label', 'in', tx.selectFrom(textsIn(tx, p.labels, 'l')).select('l.value')),
);

/** The rows whose read flag changes all gain it, or all lose it. */
const recountUnread = command((tx: WriteTransaction, p: Values & FlagMasks & { unread: number }) =>
  insertion(tx).expression(
    countedRows(tx, p, { messages: sql<number>`0`, unread: sql<number>`${p.unread} * count(*)` }).where(
      sql<boolean>`((r.flags & ${p.keep}) | ${p.add}) & ${READ} <> r.flags & ${READ}`,
    ),
  ),
);

function countedRows(
  tx: WriteTransaction,
  p: Values,
  { messages, unread }: { messages: ReturnType<typeof sql<number>>; unread: ReturnType<typeof sql<number>> },
) {
  return tx
    .selectFrom('message_labels as r')
    .select([
      workspaceOfRows(tx, 'r.workspace_id', p).as('workspace_id'),
      sql<string>`cast(${p.userId} as text)`.as('user_id'),
      'r.label',
    ])
    .select([messages.as('messages'), unread.as('unread')])
    .where(isOfWorkspace(tx, 'r.workspace_id', p))
    .where('r.message_number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value'))
    .groupBy('r.label')
    .$if(tx.engine === 'postgres', (query) => query.groupBy('r.workspace_id'));
}

function insertion(tx: WriteTransaction) {
  return tx
    .insertInto('mail_label_counts')
    .columns(['workspace_id', 'user_id', 'label', 'messages', 'unread'])
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'user_id', 'label']).doUpdateSet({
        messages: sql<number>`mail_label_counts.messages + excluded.messages`,
        unread: sql<number>`mail_label_counts.unread + excluded.unread`,
      }),
    );
}

function unreadOf(alias: string) {
  return sql<number>`sum(case when ${sql.ref(`${alias}.flags`)} & ${sql.lit(READ)} = 0 then 1 else 0 end)`;
}

/** Counts the labels that messages are about to get rows for: these, or all that the messages carry. */
export async function countLabels(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  numbers: string,
  labels?: readonly string[],
): Promise<void> {
  const count = labels === undefined ? countCarried : countNamed;
  // A request may name a label twice. It becomes one row, so it counts once.
  const distinct = [...new Set(labels)];
  await count(tx, { workspaceId, userId, numbers, labels: JSON.stringify(distinct) });
}

/** Takes the rows of messages that are about to be deleted out of the counts. Labels that no message has left are gone. */
export async function uncountLabels(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  numbers: string,
  which: Deletion,
  labels: readonly string[] = [],
): Promise<void> {
  const values = { workspaceId, userId, numbers, labels: JSON.stringify(labels) };
  const changed = await uncount[which](tx, values);
  const emptied = changed.filter(({ messages }) => messages === 0).map(({ label }) => label);
  if (emptied.length > 0) await deleteEmptied(tx, { workspaceId, userId, labels: JSON.stringify(emptied) });
}

/** Follows the read flag of messages that is about to change in their rows. */
export async function countUnread(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  numbers: string,
  { keep, add }: FlagMasks,
): Promise<void> {
  if ((keep & READ) !== 0 && (add & READ) === 0) return;
  await recountUnread(tx, { workspaceId, userId, numbers, keep, add, unread: (add & READ) === 0 ? 1 : -1 });
}

const labelsAfter = statement((tx, p: MailboxOwner & { after: string; limit: number }) =>
  tx
    .selectFrom('mail_label_counts')
    .select(['label', 'messages', 'unread'])
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('label', '>', p.after)
    .orderBy('label')
    .limit(sql<number>`0 + ${p.limit}`),
);

/** A label of a mailbox with how many messages carry it, and how many of those are unread. */
export interface LabelCount {
  label: string;
  messages: number;
  unread: number;
}

/** The labels of a mailbox after one, in order. */
export function listLabels(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  after: string,
  limit: number,
): Promise<LabelCount[]> {
  return labelsAfter(tx, { workspaceId, userId, after, limit });
}
