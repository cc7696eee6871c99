import { hash } from 'node:crypto';
import { type ExpressionBuilder, sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { arraysIn, integerAt, integersIn, textAt } from '../../storage/elements.ts';
import { statement } from '../../storage/statement.ts';
import type { LabelCombinations, Tables } from '../../storage/tables.ts';
import type { MailboxOwner } from './owner.ts';

/** Everything that is known of labels that stand together: which there are, and which message carries which. */

/** A message and the labels that it carries. */
export interface LabelledMessage {
  number: number;
  /** JSON array. */
  labels: string;
}

/** Labels in any order are the same combination. */
function combinationOf(labels: readonly string[]): string {
  return hash('sha256', JSON.stringify([...labels].sort()), 'base64url').slice(0, 22);
}

const insertMessages = statement((tx: WriteTransaction, p: { userId: string; rows: string }) =>
  tx
    .insertInto('message_combinations')
    .columns(['workspace_id', 'user_id', 'message_number', 'combination', 'folder_number', 'flags', 'date'])
    .expression(
      tx
        .selectFrom(arraysIn(tx, p.rows, 'e'))
        .innerJoin('message_states as m', (join) =>
          join.on('m.workspace_id', '=', textAt('e', 0)).on('m.number', '=', integerAt('e', 1)),
        )
        .select(['m.workspace_id', sql<string>`cast(${p.userId} as text)`.as('user_id'), 'm.number'])
        .select(textAt('e', 2).as('combination'))
        .select(['m.folder_number', 'm.flags', 'm.date']),
    ),
);

const insertEach = statement((tx: WriteTransaction, p: { rows: string }) =>
  tx
    .insertInto('label_combinations')
    .columns(['workspace_id', 'user_id', 'label', 'combination'])
    .expression(
      tx
        .selectFrom(arraysIn(tx, p.rows, 'e'))
        .select([
          textAt('e', 0).as('workspace_id'),
          textAt('e', 1).as('user_id'),
          textAt('e', 2).as('label'),
          textAt('e', 3).as('combination'),
        ])
        // SQLite reads ON CONFLICT after a SELECT without WHERE as part of a join.
        .where(sql.lit(true)),
    )
    .onConflict((conflict) => conflict.doNothing()),
);

const deleteMessages = statement((tx: WriteTransaction, p: { workspaceId: string; numbers: string }) =>
  tx
    .deleteFrom('message_combinations')
    .where('workspace_id', '=', p.workspaceId)
    .where('message_number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
);

/** Writes down the combinations that these messages carry now; each has several labels, and none of them written down. */
export async function insertCombinations(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  messages: readonly LabelledMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  const labelsOf = new Map<string, string[]>();
  const rows: [string, number, string][] = [];
  for (const [labels, alike] of Map.groupBy(messages, (message) => message.labels)) {
    const parsed: string[] = JSON.parse(labels);
    const combination = combinationOf(parsed);
    labelsOf.set(combination, parsed);
    for (const { number } of alike) rows.push([workspaceId, number, combination]);
  }
  await insertMessages(tx, { userId, rows: JSON.stringify(rows) });
  await insertParts(tx, { workspaceId, userId }, labelsOf);
}

async function insertParts(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  labelsOf: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const rows: string[][] = [];
  for (const [combination, labels] of labelsOf)
    for (const label of labels) rows.push([workspaceId, userId, label, combination]);
  await insertEach(tx, { rows: JSON.stringify(rows) });
}

/** Forgets the combinations of messages (a JSON array of numbers) whose labels have changed, or that are gone. */
export async function removeCombinations(
  tx: WriteTransaction,
  messages: { workspaceId: string; numbers: string },
): Promise<void> {
  await deleteMessages(tx, messages);
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
