import { hash } from 'node:crypto';
import { type ExpressionBuilder, sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { arraysIn, textAt, textsIn } from '../../storage/elements.ts';
import { statement } from '../../storage/statement.ts';
import type { LabelCombinations, Tables } from '../../storage/tables.ts';
import type { MailboxOwner } from './owner.ts';

/** Everything that is known of labels that stand together: which there are, and which message carries which. */

/** A message and the labels that it carries. */
export interface LabelledMessage {
  id: string;
  /** JSON array. */
  labels: string;
}

/** Labels in any order are the same combination. */
function combinationOf(labels: readonly string[]): string {
  return hash('sha256', JSON.stringify([...labels].sort()), 'base64url').slice(0, 22);
}

const upsertMessages = statement((tx: WriteTransaction, p: { rows: string }) =>
  tx
    .insertInto('message_combinations')
    .columns(['workspace_id', 'user_id', 'message_id', 'combination', 'folder_id', 'flags', 'date'])
    .expression(
      tx
        .selectFrom(arraysIn(tx, p.rows, 'e'))
        .innerJoin('messages as m', (join) =>
          join.on('m.workspace_id', '=', textAt('e', 0)).on('m.id', '=', textAt('e', 1)),
        )
        .select(['m.workspace_id', 'm.user_id', 'm.id'])
        .select(textAt('e', 2).as('combination'))
        .select(['m.folder_id', 'm.flags', 'm.date'])
        // Without it SQLite takes "on conflict" for a condition of the join.
        .where(sql.lit(true), '=', true),
    )
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'message_id']).doUpdateSet(({ ref }) => ({
        combination: ref('excluded.combination'),
        folder_id: ref('excluded.folder_id'),
        flags: ref('excluded.flags'),
      })),
    ),
);

const deleteMessages = statement((tx: WriteTransaction, p: { workspaceId: string; messageIds: string }) =>
  tx
    .deleteFrom('message_combinations')
    .where('workspace_id', '=', p.workspaceId)
    .where('message_id', 'in', tx.selectFrom(textsIn(tx, p.messageIds, 'e')).select('e.value')),
);

/** Writes down the combinations that these messages carry now; each has several labels. */
export async function storeCombinations(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  messages: readonly LabelledMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  const labelsOf = new Map<string, string[]>();
  const rows = messages.map(({ id, labels }) => {
    const parsed: string[] = JSON.parse(labels);
    const combination = combinationOf(parsed);
    labelsOf.set(combination, parsed);
    return [workspaceId, id, combination];
  });
  await upsertMessages(tx, { rows: JSON.stringify(rows) });
  await insertLabels(tx, { workspaceId, userId }, labelsOf);
}

async function insertLabels(
  tx: WriteTransaction,
  owner: MailboxOwner,
  labelsOf: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  for (const [combination, labels] of labelsOf) {
    const scope = { workspace_id: owner.workspaceId, user_id: owner.userId, combination };
    await tx
      .insertInto('label_combinations')
      .values(labels.map((label) => ({ ...scope, label })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Forgets the combinations of messages (a JSON array) that carry several labels no more, or are gone. */
export async function removeCombinations(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messageIds: string,
): Promise<void> {
  await deleteMessages(tx, { workspaceId, messageIds });
}

interface LabelValues {
  workspaceId: string;
  userId: string;
  label: string;
  most: number;
}

const combinationsWith = (tx: ReadTransaction, p: Omit<LabelValues, 'most'>) =>
  tx
    .selectFrom('label_combinations as c')
    .where('c.workspace_id', '=', p.workspaceId)
    .where('c.user_id', '=', p.userId)
    .where('c.label', '=', p.label);

const countCombinations = statement((tx, p: LabelValues) =>
  tx
    .selectFrom(combinationsWith(tx, p).select('c.combination').limit(p.most).as('combinations'))
    .select(({ fn }) => fn.countAll<number>().as('count')),
);

/** Of several labels the one that is part of the fewest combinations, as far as counting some tells; the others follow. */
export async function rarestFirst(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  labels: readonly string[],
): Promise<string[]> {
  const counted = await Promise.all(
    labels.map(async (label) => {
      const [row] = await countCombinations(tx, { workspaceId, userId, label, most: ENOUGH_TO_COMPARE });
      return { label, count: Number(row?.count ?? 0) };
    }),
  );
  return counted.sort((a, b) => a.count - b.count).map(({ label }) => label);
}

/** Counting stops here: among labels this common the order of reading matters little. */
const ENOUGH_TO_COMPARE = 500;

/** The combinations that hold all of these labels, looked for along the first; at most so many. */
export async function findCombinations(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  [label = '', ...others]: readonly string[],
  most: number,
): Promise<string[]> {
  const { rows } = await tx.executeQuery(
    combinationsWith(tx, { workspaceId, userId, label })
      .select('c.combination')
      .where((eb) => labelsHeld(eb, others), '=', others.length)
      .limit(most),
  );
  return rows.map(({ combination }) => combination);
}

/** Counted, because what only has to exist PostgreSQL would join, reading all that each label is part of. */
function labelsHeld(
  { selectFrom, fn }: ExpressionBuilder<Tables & { c: LabelCombinations }, 'c'>,
  labels: readonly string[],
) {
  return selectFrom('label_combinations as o')
    .select(fn.countAll<number>().as('labels'))
    .whereRef('o.workspace_id', '=', 'c.workspace_id')
    .whereRef('o.user_id', '=', 'c.user_id')
    .whereRef('o.combination', '=', 'c.combination')
    .where('o.label', 'in', labels);
}
