import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { arraysIn, integerAt, textAt, textsIn } from '../../storage/elements.ts';
import { statement } from '../../storage/statement.ts';
import type { FlagSet } from './flags.ts';
import type { MailboxOwner } from './owner.ts';

/** What of a message changes. */
export interface MarkedMessage {
  id: string;
  folder_id: string;
  flags: FlagSet;
  /** JSON array. */
  labels: string;
}

interface Values {
  workspaceId: string;
  /** JSON array. */
  messageIds: string;
}

const selectBatch = statement((tx, p: Values) =>
  tx
    .selectFrom('messages')
    .select(['id', 'folder_id', 'flags', 'labels'])
    .where('workspace_id', '=', p.workspaceId)
    .where('id', 'in', tx.selectFrom(textsIn(tx, p.messageIds, 'e')).select('e.value')),
);

const updateMarks = statement((tx: WriteTransaction, p: { rows: string }) =>
  tx
    .updateTable('messages')
    .from(arraysIn(tx, p.rows, 'e'))
    .set({ flags: integerAt('e', 2), labels: textAt('e', 3) })
    .where('messages.workspace_id', '=', textAt('e', 0))
    .where('messages.id', '=', textAt('e', 1)),
);

const updateFolder = statement((tx: WriteTransaction, p: Values & { folderId: string }) =>
  tx
    .updateTable('messages')
    .set({ folder_id: p.folderId })
    .where('workspace_id', '=', p.workspaceId)
    .where('id', 'in', tx.selectFrom(textsIn(tx, p.messageIds, 'e')).select('e.value')),
);

/**
 * Those of these messages that are in the workspace, in no order. Whose they are the folder tells, so the user is not
 * asked for: SQLite would read the user's whole mailbox.
 */
export function findBatch(
  tx: ReadTransaction,
  { workspaceId }: MailboxOwner,
  messageIds: readonly string[],
): Promise<MarkedMessage[]> {
  return selectBatch(tx, { workspaceId, messageIds: JSON.stringify(messageIds) });
}

/** Gives messages of this mailbox the flags and labels that stand here. */
export async function storeMarks(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly MarkedMessage[],
): Promise<void> {
  const rows = messages.map(({ id, flags, labels }) => [workspaceId, id, flags, labels]);
  await updateMarks(tx, { rows: JSON.stringify(rows) });
}

/** Puts messages of this mailbox into another of its folders. */
export async function storeFolder(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messageIds: readonly string[],
  folderId: string,
): Promise<void> {
  await updateFolder(tx, { workspaceId, messageIds: JSON.stringify(messageIds), folderId });
}
