import { type Expression, sql } from 'kysely';
import type { WriteTransaction } from '../../../storage/database.ts';
import { integersIn, textsIn } from '../../../storage/query/json-parameters.ts';
import { isOfWorkspace } from '../../../storage/query/of-workspace.ts';
import { command } from '../../../storage/query/statement.ts';
import type { FolderNumber } from '../folders/folder-store.ts';
import type { MailboxOwner } from '../owner.ts';
import type { FlagMasks, FlagsAndLabelsChange } from './flags.ts';
import { countLabels, countUnread, uncountLabels } from './label-count-store.ts';

/**
 * All writers of message_labels. Its rows repeat labels, folder, flags and date of message_states, which is
 * authoritative. How many messages carry each label is counted beside (label-count-store.ts).
 */

/** A message and its labels. */
export interface LabelledMessage {
  number: number;
  /** JSON array. */
  labels: string;
}

/** A message has up to a hundred labels; other requests get a turn between two statements. */
const MESSAGES_A_STATEMENT = 100;

interface Values {
  workspaceId: string;
  /** JSON array. */
  numbers: string;
}

/** Inserts all labels of the messages. */
const insertAll = command((tx: WriteTransaction, p: Values & { userId: string }) =>
  insertion(tx, p, (labels) => textsIn(tx, labels, 'l')),
);

const insertNamed = command((tx: WriteTransaction, p: Values & { userId: string; labels: string }) =>
  insertion(tx, p, () => textsIn(tx, p.labels, 'l')),
);

/** A label row copies folder, flags and date of its message, so that listings find it in their order. */
function insertion(
  tx: WriteTransaction,
  p: Values & { userId: string },
  labelsFrom: (carried: Expression<string>) => ReturnType<typeof textsIn<'l'>>,
) {
  return tx
    .insertInto('message_labels')
    .columns(['workspace_id', 'user_id', 'label', 'message_number', 'folder_number', 'flags', 'date'])
    .expression(
      tx
        .selectFrom('message_states as m')
        .crossJoin(({ ref }) => labelsFrom(ref('m.labels')))
        .select([
          'm.workspace_id',
          sql<string>`cast(${p.userId} as text)`.as('user_id'),
          'l.value',
          'm.number',
          'm.folder_number',
          'm.flags',
          'm.date',
        ])
        .where('m.workspace_id', '=', p.workspaceId)
        .where('m.number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
    )
    .onConflict((conflict) => conflict.doNothing());
}

const deleteAll = command((tx: WriteTransaction, p: Values) => deletion(tx, p));

const deleteNamed = command((tx: WriteTransaction, p: Values & { labels: string }) =>
  deletion(tx, p).where('label', 'in', tx.selectFrom(textsIn(tx, p.labels, 'l')).select('l.value')),
);

const deleteOthers = command((tx: WriteTransaction, p: Values & { labels: string }) =>
  deletion(tx, p).where('label', 'not in', tx.selectFrom(textsIn(tx, p.labels, 'l')).select('l.value')),
);

function deletion(tx: WriteTransaction, p: Values) {
  return tx
    .deleteFrom('message_labels')
    .where('workspace_id', '=', p.workspaceId)
    .where('message_number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value'));
}

const updateFlags = command((tx: WriteTransaction, p: Values & FlagMasks) =>
  tx
    .updateTable('message_labels')
    .set({ flags: sql<number>`(flags & ${p.keep}) | ${p.add}` })
    .where(isOfWorkspace(tx, 'workspace_id', p))
    .where('message_number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
);

const updateFolder = command((tx: WriteTransaction, p: Values & { folderNumber: FolderNumber }) =>
  tx
    .updateTable('message_labels')
    .set({ folder_number: p.folderNumber })
    .where(isOfWorkspace(tx, 'workspace_id', p))
    .where('message_number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
);

/** Inserts the label rows of messages that have none yet. */
export async function insertLabels(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  messages: readonly LabelledMessage[],
): Promise<void> {
  for (const some of inPortions(messages.filter(hasLabels))) {
    const numbers = numbersOf(some);
    await countLabels(tx, { workspaceId, userId }, numbers);
    await insertAll(tx, { workspaceId, userId, numbers });
  }
}

/** Deletes the label rows of messages that leave the listings. */
export async function removeLabels(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messages: readonly Pick<LabelledMessage, 'number'>[],
): Promise<void> {
  for (const some of inPortions(messages)) {
    const numbers = numbersOf(some);
    await uncountLabels(tx, owner, numbers, 'all');
    await deleteAll(tx, { workspaceId: owner.workspaceId, numbers });
  }
}

/** Deletes the rows of the labels that a change removes. `messages`: as they were before the change. */
export async function removeChangedLabels(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messages: readonly LabelledMessage[],
  { op, labels }: Pick<FlagsAndLabelsChange, 'op' | 'labels'>,
): Promise<void> {
  if (op === 'add') return;
  const deleteRows = op === 'remove' ? deleteNamed : deleteOthers;
  for (const some of inPortions(messages.filter(hasLabels))) {
    const numbers = numbersOf(some);
    await uncountLabels(tx, owner, numbers, op === 'remove' ? 'named' : 'others', labels);
    await deleteRows(tx, { workspaceId: owner.workspaceId, numbers, labels: JSON.stringify(labels) });
  }
}

/** Inserts the rows of the labels that a change adds. */
export async function insertChangedLabels(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  messages: readonly Pick<LabelledMessage, 'number'>[],
  { op, labels }: Pick<FlagsAndLabelsChange, 'op' | 'labels'>,
): Promise<void> {
  if (op === 'remove' || labels.length === 0) return;
  for (const some of inPortions(messages)) {
    const numbers = numbersOf(some);
    await countLabels(tx, { workspaceId, userId }, numbers, labels);
    await insertNamed(tx, { workspaceId, userId, numbers, labels: JSON.stringify(labels) });
  }
}

/** Changes the flags in the label rows of messages. */
export async function updateLabelFlags(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messages: readonly LabelledMessage[],
  { keep, add }: FlagMasks,
): Promise<void> {
  for (const some of inPortions(messages.filter(hasLabels))) {
    const numbers = numbersOf(some);
    await countUnread(tx, owner, numbers, { keep, add });
    await updateFlags(tx, { workspaceId: owner.workspaceId, numbers, keep, add });
  }
}

/** Changes the folder in the label rows of messages. */
export async function updateLabelFolder(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly LabelledMessage[],
  folderNumber: FolderNumber,
): Promise<void> {
  for (const some of inPortions(messages.filter(hasLabels)))
    await updateFolder(tx, { workspaceId, numbers: numbersOf(some), folderNumber });
}

function* inPortions<T>(messages: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < messages.length; i += MESSAGES_A_STATEMENT) {
    yield messages.slice(i, i + MESSAGES_A_STATEMENT);
  }
}

/** As a JSON array. */
function numbersOf(messages: readonly { number: number }[]): string {
  return JSON.stringify(messages.map(({ number }) => number));
}

function hasLabels({ labels }: LabelledMessage): boolean {
  return labels !== '[]';
}
