import type { WriteTransaction } from '../../storage/database.ts';
import { textsIn } from '../../storage/elements.ts';
import { statement } from '../../storage/statement.ts';
import { type LabelledMessage, removeCombinations, storeCombinations } from './combination-store.ts';
import type { MailboxOwner } from './owner.ts';

/** Everything that writes message_labels: its rows follow the messages, where labels, folder, flags and date stand first. */

/** A message has up to a hundred labels; between two statements others have their turn. */
const MESSAGES_A_STATEMENT = 100;

interface Values {
  workspaceId: string;
  /** JSON array. */
  messageIds: string;
}

/** A label in a row of its own takes its place among the messages from its message. */
const upsertRows = statement((tx: WriteTransaction, p: Values) =>
  tx
    .insertInto('message_labels')
    .columns(['workspace_id', 'user_id', 'label', 'message_id', 'folder_id', 'flags', 'date'])
    .expression(
      tx
        .selectFrom('messages as m')
        .crossJoin(({ ref }) => textsIn(tx, ref('m.labels'), 'l'))
        .select(['m.workspace_id', 'm.user_id', 'l.value', 'm.id', 'm.folder_id', 'm.flags', 'm.date'])
        .where('m.workspace_id', '=', p.workspaceId)
        .where('m.id', 'in', tx.selectFrom(textsIn(tx, p.messageIds, 'e')).select('e.value')),
    )
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'message_id', 'label']).doUpdateSet(({ ref }) => ({
        folder_id: ref('excluded.folder_id'),
        flags: ref('excluded.flags'),
      })),
    ),
);

const deleteRows = statement((tx: WriteTransaction, p: Values) =>
  tx
    .deleteFrom('message_labels')
    .where('workspace_id', '=', p.workspaceId)
    .where('message_id', 'in', tx.selectFrom(textsIn(tx, p.messageIds, 'e')).select('e.value'))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('messages as m')
            .crossJoin(({ ref }) => textsIn(tx, ref('m.labels'), 'l'))
            .select('l.value')
            .whereRef('m.workspace_id', '=', 'message_labels.workspace_id')
            .whereRef('m.id', '=', 'message_labels.message_id')
            .whereRef('l.value', '=', 'message_labels.label'),
        ),
      ),
    ),
);

/**
 * Writes down the labels that these messages carry now, where they carry them: after a label, folder or flag changed.
 * Those without labels are passed over.
 */
export async function storeLabels(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messages: readonly LabelledMessage[],
): Promise<void> {
  const labelled = messages.filter(({ labels }) => labels !== '[]');
  for (const some of inPortions(labelled)) {
    await upsertRows(tx, { workspaceId: owner.workspaceId, messageIds: idsOf(some) });
    await storeCombinations(tx, owner, some.filter(hasSeveral));
  }
}

/** Forgets the labels that these messages do not carry any more: after labels were taken off, or the messages are gone. */
export async function removeLabels(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messages: readonly LabelledMessage[],
): Promise<void> {
  for (const some of inPortions(messages)) {
    await deleteRows(tx, { workspaceId: owner.workspaceId, messageIds: idsOf(some) });
    const single = some.filter((message) => !hasSeveral(message));
    await removeCombinations(tx, owner, idsOf(single));
  }
}

function* inPortions(messages: readonly LabelledMessage[]): Generator<readonly LabelledMessage[]> {
  for (let i = 0; i < messages.length; i += MESSAGES_A_STATEMENT) {
    yield messages.slice(i, i + MESSAGES_A_STATEMENT);
  }
}

/** As a JSON array. */
function idsOf(messages: readonly LabelledMessage[]): string {
  return JSON.stringify(messages.map(({ id }) => id));
}

/** A quote within a label is escaped, so this stands only between two. */
function hasSeveral({ labels }: LabelledMessage): boolean {
  return labels.includes('","');
}
