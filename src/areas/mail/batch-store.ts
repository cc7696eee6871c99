import { sql } from 'kysely';
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

/**
 * A message with what finds its row again, for as long as the transaction holds the mailbox: by the rowid SQLite does so
 * in half the time that the key takes. PostgreSQL has none that lasts, so there it is the id.
 */
export interface BatchMessage extends MarkedMessage {
  handle: string | number;
}

const handleOf = (tx: ReadTransaction) =>
  sql.ref<string | number>(tx.engine === 'sqlite' ? 'messages.rowid' : 'messages.id');

const selectBatch = statement((tx, p: { workspaceId: string; messageIds: string }) =>
  tx
    .selectFrom('messages')
    .select(['id', 'folder_id', 'flags', 'labels'])
    .select(handleOf(tx).as('handle'))
    .where('workspace_id', '=', p.workspaceId)
    .where('id', 'in', tx.selectFrom(textsIn(tx, p.messageIds, 'e')).select('e.value')),
);

const updateMarks = statement((tx: WriteTransaction, p: { workspaceId: string; rows: string }) =>
  tx
    .updateTable('messages')
    .from(arraysIn(tx, p.rows, 'e'))
    .set({ flags: integerAt('e', 1), labels: textAt('e', 2) })
    .where(handleOf(tx), '=', textAt('e', 0))
    .where(ofWorkspace(tx, p)),
);

const updateFolder = statement(
  (tx: WriteTransaction, p: { workspaceId: string; rows: string; folderId: string }) =>
    tx
      .updateTable('messages')
      .from(arraysIn(tx, p.rows, 'e'))
      .set({ folder_id: p.folderId })
      .where(handleOf(tx), '=', textAt('e', 0))
      .where(ofWorkspace(tx, p)),
);

/** Said where the handle is an id, which is found by the key; of a rowid it would only lead SQLite astray. */
function ofWorkspace(tx: WriteTransaction, { workspaceId }: { workspaceId: string }) {
  return tx.engine === 'sqlite'
    ? sql<boolean>`true`
    : sql<boolean>`${sql.ref('messages.workspace_id')} = ${workspaceId}`;
}

/**
 * Those of these messages that are in the workspace, in no order. Whose they are the folder tells, so the user is not
 * asked for: SQLite would read the user's whole mailbox.
 */
export function findBatch(
  tx: ReadTransaction,
  { workspaceId }: MailboxOwner,
  messageIds: readonly string[],
): Promise<BatchMessage[]> {
  return selectBatch(tx, { workspaceId, messageIds: JSON.stringify(messageIds) });
}

/** Gives messages of this mailbox the flags and labels that stand here. */
export async function storeMarks(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly BatchMessage[],
): Promise<void> {
  const rows = messages.map(({ handle, flags, labels }) => [handle, flags, labels]);
  await updateMarks(tx, { workspaceId, rows: JSON.stringify(rows) });
}

/** Puts messages of this mailbox into another of its folders. */
export async function storeFolder(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly BatchMessage[],
  folderId: string,
): Promise<void> {
  const rows = messages.map(({ handle }) => [handle]);
  await updateFolder(tx, { workspaceId, rows: JSON.stringify(rows), folderId });
}
