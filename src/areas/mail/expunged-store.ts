import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { integersIn } from '../../storage/elements.ts';
import { statement } from '../../storage/statement.ts';
import type { FlagSet } from './flags.ts';
import { folderNumber } from './folder-store.ts';
import type { MessagePlace } from './listing-store.ts';
import type { MessageRow } from './message-store.ts';
import type { MailboxOwner } from './owner.ts';

/** What of a message stays as it was. */
const KEPT = ['number', 'id', 'folder_number', 'thread_id', 'date', 'flags', 'labels', 'summary'] as const;

interface Values {
  workspaceId: string;
  /** JSON array. */
  numbers: string;
}

const selectPlaces = statement(
  (tx, p: MailboxOwner & { folderId: string; flags: FlagSet; date: number; number: number; most: number }) =>
    tx
      .selectFrom('messages')
      .select(['date', 'number'])
      .where('workspace_id', '=', p.workspaceId)
      .where('folder_number', '=', folderNumber(tx, p, p.folderId))
      .where('flags', '=', p.flags)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('date', 'number'), '>', tuple(p.date, p.number)))
      .orderBy('date')
      .orderBy('number')
      .limit(p.most),
);

const copyRows = statement((tx: WriteTransaction, p: Values) =>
  tx
    .insertInto('expunged_messages')
    .columns(['workspace_id', 'user_id', ...KEPT])
    .expression(
      tx
        .selectFrom('messages')
        .select(['workspace_id', 'user_id', ...KEPT])
        .where('workspace_id', '=', p.workspaceId)
        .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
    ),
);

const deleteRows = statement((tx: WriteTransaction, p: Values) =>
  tx
    .deleteFrom('messages')
    .where('workspace_id', '=', p.workspaceId)
    .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
);

/**
 * The first messages of a folder with exactly these flags that come after a place, oldest first. The folder is the
 * owner's.
 */
export function listPlaces(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  stream: { folderId: string; flags: FlagSet },
  after: MessagePlace,
  most: number,
): Promise<MessagePlace[]> {
  return selectPlaces(tx, { workspaceId, userId, ...stream, ...after, most });
}

/** Puts messages of this mailbox apart; their content stays. */
export async function setApart(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly MessagePlace[],
): Promise<void> {
  const values = { workspaceId, numbers: JSON.stringify(messages.map(({ number }) => number)) };
  await copyRows(tx, values);
  await deleteRows(tx, values);
}

/** A message that was set apart, with the folder that it left; null where that is gone. */
export interface ExpungedMessage extends Omit<MessageRow, 'folder_id'> {
  /** The one that it had: it takes its old place among messages of the same date. */
  number: number;
  folderId: string | null;
}

/** Takes a message of this mailbox from those that were set apart; undefined when it is not among them. */
export async function takeBack(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<ExpungedMessage | undefined> {
  const found = await tx
    .selectFrom('expunged_messages as e')
    .leftJoin('mail_folders as f', (join) =>
      join.onRef('f.workspace_id', '=', 'e.workspace_id').onRef('f.number', '=', 'e.folder_number'),
    )
    .select([
      'e.number',
      'e.id',
      'f.id as folderId',
      'e.thread_id',
      'e.date',
      'e.flags',
      'e.labels',
      'e.summary',
    ])
    .where('e.workspace_id', '=', owner.workspaceId)
    .where('e.user_id', '=', owner.userId)
    .where('e.id', '=', messageId)
    .executeTakeFirst();
  if (!found) return undefined;
  await tx
    .deleteFrom('expunged_messages')
    .where('workspace_id', '=', owner.workspaceId)
    .where('id', '=', messageId)
    .execute();
  return found;
}
