import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { arraysIn, integerAt, integersIn, textAt, textsIn } from '../../storage/elements.ts';
import { statement } from '../../storage/statement.ts';
import type { FlagMasks, FlagSet } from './flags.ts';
import type { MailboxOwner } from './owner.ts';

/** What of a message changes, with the number that it is written under. */
export interface BatchMessage {
  number: number;
  id: string;
  folder_number: number;
  flags: FlagSet;
  /** JSON array. */
  labels: string;
}

interface Numbers {
  workspaceId: string;
  /** JSON array. */
  numbers: string;
}

const selectBatch = statement((tx, p: { workspaceId: string; messageIds: string }) =>
  tx
    .selectFrom('messages')
    .select(['number', 'id', 'folder_number', 'flags', 'labels'])
    .where('workspace_id', '=', p.workspaceId)
    .where('id', 'in', tx.selectFrom(textsIn(tx, p.messageIds, 'e')).select('e.value')),
);

const updateFlags = statement((tx: WriteTransaction, p: Numbers & FlagMasks) =>
  tx
    .updateTable('messages')
    .set({ flags: sql<number>`(flags & ${p.keep}) | ${p.add}` })
    .where('workspace_id', '=', p.workspaceId)
    .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
);

const updateLabels = statement((tx: WriteTransaction, p: { workspaceId: string; rows: string }) =>
  tx
    .updateTable('messages')
    .from(arraysIn(tx, p.rows, 'e'))
    .set({ labels: textAt('e', 1) })
    .where('workspace_id', '=', p.workspaceId)
    .where('number', '=', integerAt('e', 0)),
);

const updateFolder = statement((tx: WriteTransaction, p: Numbers & { folderNumber: number }) =>
  tx
    .updateTable('messages')
    .set({ folder_number: p.folderNumber })
    .where('workspace_id', '=', p.workspaceId)
    .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
);

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

/** Changes the flags of messages of this mailbox. */
export async function storeFlags(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly BatchMessage[],
  { keep, add }: FlagMasks,
): Promise<void> {
  await updateFlags(tx, { workspaceId, numbers: numbersOf(messages), keep, add });
}

/** Gives messages of this mailbox the labels that stand here. */
export async function storeLabels(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly BatchMessage[],
): Promise<void> {
  const rows = messages.map(({ number, labels }) => [number, labels]);
  await updateLabels(tx, { workspaceId, rows: JSON.stringify(rows) });
}

/** Puts messages of this mailbox into another of its folders. */
export async function storeFolder(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly BatchMessage[],
  folderNumber: number,
): Promise<void> {
  await updateFolder(tx, { workspaceId, numbers: numbersOf(messages), folderNumber });
}

/** As a JSON array. */
function numbersOf(messages: readonly BatchMessage[]): string {
  return JSON.stringify(messages.map(({ number }) => number));
}
