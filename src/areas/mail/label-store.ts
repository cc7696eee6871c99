import type { WriteTransaction } from '../../storage/database.ts';
import { textsIn } from '../../storage/elements.ts';
import { statement } from '../../storage/statement.ts';
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

/** Writes down the labels that these messages carry now, where they carry them: after a label, folder or flag changed. */
export async function storeLabels(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messageIds: readonly string[],
): Promise<void> {
  for (const some of inPortions(messageIds)) await upsertRows(tx, { workspaceId, messageIds: some });
}

/** Forgets the labels that these messages do not carry any more: after labels were taken off, or the messages are gone. */
export async function removeLabels(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messageIds: readonly string[],
): Promise<void> {
  for (const some of inPortions(messageIds)) await deleteRows(tx, { workspaceId, messageIds: some });
}

/** Each portion as a JSON array. */
function* inPortions(messageIds: readonly string[]): Generator<string> {
  for (let i = 0; i < messageIds.length; i += MESSAGES_A_STATEMENT) {
    yield JSON.stringify(messageIds.slice(i, i + MESSAGES_A_STATEMENT));
  }
}
